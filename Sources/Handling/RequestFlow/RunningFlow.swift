package import ChallengeHandling
package import HTTPTypes
internal import Synchronization

/// The flow of one request, which may go on with another connection.
package final class RunningFlow: Sendable {
    private let flow: Mutex<RequestFlow>

    package init(_ flow: consuming sending RequestFlow) { self.flow = Mutex(flow) }

    /// Becomes the flow of another request.
    package func replace(_ new: consuming sending RequestFlow) {
        var next = Optional(new)
        flow.withLock { flow in if let new = next.take() { flow = new } }
    }

    /// Reports an event, and returns what the host does next.
    package func report(_ event: (inout RequestFlow) -> FlowCommand) -> FlowCommand { flow.withLock { event(&$0) } }

    /// The request of the last ``FlowCommand/send(_:)`` begins to leave.
    package func sendHasBegun() { flow.withLock { $0.sendHasBegun() } }

    /// The request has gone out before anybody needed a flow: as it is, or with an answer in advance.
    package func beginSent(carrying answer: AdvanceAnswer? = nil) { flow.withLock { $0.beginSent(carrying: answer) } }

    /// The challenge that is being answered.
    package var challenge: (status: Int, fields: HTTPFields)? { flow.withLock { $0.challenge } }

    /// Whether a scheme has authenticated, or tries to authenticate, the connection.
    package var bindsConnection: Bool { flow.withLock { $0.bindsConnection } }

    /// Whether the response to the last send may tell whether a password is right.
    package var awaitsVerdict: Bool { flow.withLock { $0.awaitsVerdict } }

    /// Whether a handshake is under way that authenticates its connection.
    package var isBindingConnection: Bool { flow.withLock { $0.isBindingConnection } }
}
