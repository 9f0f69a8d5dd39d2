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
    /// The answer that goes along until somebody asks, in place of the flow.
    var answer: AdvanceAnswer?
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

    func sendHasBegun() {
        guard let answer else { return flow.sendHasBegun() }
        answer.sendHasBegun()
    }

    func received(_ response: FlowResponse) -> FlowCommand {
        if let answer, response.status != ChallengedParty.proxy.status,
            answer.isAccepted(status: response.status, fields: response.fields, isPassedOn: true)
        {
            self.answer = nil
            return .deliver(.accepted)
        }
        takeOver()
        return flow.received(response)
    }

    func lost(_ loss: FlowLoss) -> FlowCommand {
        takeOver()
        return flow.lost(loss)
    }

    private func takeOver() {
        guard let answer else { return }
        self.answer = nil
        flow.beginSent(carrying: answer)
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
