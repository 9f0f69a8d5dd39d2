import ChallengeHandling
import HTTPAuthentication
import Synchronization

@testable import RequestFlow

/// A request of a ``FlowWorld``. A class, because the flow cannot be copied.
final class FlowRequest {
    enum Body {
        case none, repeatable, once

        var kind: OutgoingRequest.Body {
            switch self {
            case .none: .none
            case .repeatable: .repeatable(.notAvailable)
            case .once: .once
            }
        }
    }

    /// Whether a ticket has called.
    final class Call: Sendable {
        let flag = Atomic(false)
    }

    let number: Int
    let body: Body
    var flow: RequestFlow
    var command = FlowCommand.fail(.connectionLost)
    /// A response that has not been reported.
    var response: FlowResponse?
    /// The response that was reported last.
    var head: FlowResponse?
    var connection: FlowConnection?
    /// Whether the refused response on the connection was dropped to its end.
    var keepsConnection = false
    var isCalled: Call?
    var events = 0
    var sends = 0
    /// How often the body went out.
    var bodies = 0

    init(_ number: Int, _ flow: consuming RequestFlow, _ body: Body) {
        self.number = number
        self.flow = flow
        self.body = body
    }

    /// Whether `sending` takes a body along that cannot be sent again.
    func sendsBody(_ sending: RequestSending) -> Bool {
        body == .once && sending.body == .whole && !sending.holdsBody
    }
}

final class FlowConnection {
    /// How far a handshake of NTLM has come, for each party.
    enum Handshake { case fresh, challenged, done }

    let number: UInt64
    var isOpen = true
    var handshakes: [Int: Handshake] = [:]

    init(_ number: UInt64) { self.number = number }
}
