internal import HTTPTypes
internal import RequestFlow
internal import Synchronization

/// The flow of one request, which may go on with another connection.
final class RunningFlow: Sendable {
    private let flow: Mutex<RequestFlow>

    init(_ flow: consuming sending RequestFlow) { self.flow = Mutex(flow) }

    /// Becomes the flow of another request.
    func replace(_ new: consuming sending RequestFlow) {
        var next = Optional(new)
        flow.withLock { flow in if let new = next.take() { flow = new } }
    }

    /// Reports an event, and returns what the host does next.
    func report(_ event: (inout RequestFlow) -> FlowCommand) -> FlowCommand { flow.withLock { event(&$0) } }

    /// The challenge that is being answered.
    var challenge: (status: Int, fields: HTTPFields)? { flow.withLock { $0.challenge } }

    /// Whether a scheme has authenticated, or tries to authenticate, the connection.
    var bindsConnection: Bool { flow.withLock { $0.bindsConnection } }
}
