import ChallengeHandling
import HTTPTypes

@testable import RequestFlow

/// A flow whose sends leave at once.
struct SentFlow: ~Copyable {
    private var flow: RequestFlow
    /// Whether they do not leave.
    var isHeld = false

    init(_ flow: consuming RequestFlow) { self.flow = flow }

    var awaitsVerdict: Bool { flow.awaitsVerdict }

    private mutating func after(_ command: FlowCommand) -> FlowCommand {
        if !isHeld { flow.sendHasBegun() }
        return command
    }

    mutating func begin() -> FlowCommand { after(flow.begin()) }
    mutating func beginSent() { flow.beginSent() }
    mutating func received(_ response: FlowResponse) -> FlowCommand { after(flow.received(response)) }
    mutating func dropped(_ end: DropEnd) -> FlowCommand { after(flow.dropped(end)) }
    mutating func resumed(keepsConnection: Bool) -> FlowCommand {
        after(flow.resumed(keepsConnection: keepsConnection))
    }
    mutating func lost(_ loss: FlowLoss) -> FlowCommand { after(flow.lost(loss)) }
}

/// What matters of a send.
struct Sent: Equatable {
    let connection: RequestSending.Connection
    let scheme: String?
    let body: RequestSending.Body
    let expectsContinue: Bool

    init(
        _ connection: RequestSending.Connection,
        _ scheme: String? = nil,
        body: RequestSending.Body = .whole,
        expectsContinue: Bool = false
    ) {
        self.connection = connection
        self.scheme = scheme
        self.body = body
        self.expectsContinue = expectsContinue
    }
}

extension FlowCommand {
    var sent: Sent? {
        guard case .send(let sending) = self else { return nil }
        return Sent(
            sending.connection,
            sending.authorization.map { String($0.value.prefix { $0 != " " }) },
            body: sending.body,
            expectsContinue: sending.expectsContinue
        )
    }

    var isDrop: Bool {
        guard case .drop = self else { return false }
        return true
    }

    var outcome: RequestOutcome? {
        guard case .deliver(let outcome) = self else { return nil }
        return outcome
    }

    var failure: FlowFailure? {
        guard case .fail(let failure) = self else { return nil }
        return failure
    }
}
