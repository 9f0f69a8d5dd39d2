package import ChallengeHandling
package import HTTPTypes

/// What answers for a request: a flow, where one is needed. Most requests meet no challenge, and a flow costs several times what they cost without
/// one, so it is made when a party asks or a connection is lost.
package enum Answering: Sendable {
    /// No flow, and no answer whose result is open: the request goes out as it is, or its answer was accepted.
    case nothing
    /// An answer goes along that its party has just accepted, or a token.
    case inAdvance(AdvanceAnswer)
    case flow(RunningFlow)

    /// The flow; `nil` for a request that is carried without one.
    package var flow: RunningFlow? { if case .flow(let flow) = self { flow } else { nil } }

    /// Whether there is neither a flow nor an answer whose result is open.
    package var isNothing: Bool { if case .nothing = self { true } else { false } }

    /// Whether a token goes along without a flow. An `Authenticator` hears of each of its acceptances.
    package var carriesToken: Bool { if case .inAdvance(let answer) = self { answer.isToken } else { false } }

    /// The request begins to leave.
    package func sendHasBegun() {
        switch self {
        case .nothing: break
        case .inAdvance(let answer): answer.sendHasBegun()
        case .flow(let flow): flow.sendHasBegun()
        }
    }

    /// The end of a request without a flow, after a final response whose status is not that of a challenge. `nil` if the request has a flow,
    /// or needs one to judge the response.
    ///
    /// - Parameters:
    ///   - fields: as in ``FlowResponse``. Read only if the scheme of the answer proves its party.
    ///   - isPassedOn: whether the party is a proxy that passes the request on.
    package mutating func outcome(
        of status: Int,
        fields: @autoclosure () -> HTTPFields,
        isPassedOn: Bool
    ) -> RequestOutcome? {
        switch self {
        case .nothing: return .notChallenged
        case .inAdvance(let answer):
            guard answer.isAccepted(status: status, fields: fields(), isPassedOn: isPassedOn) else { return nil }
            self = .nothing
            return .accepted
        case .flow: return nil
        }
    }

    /// The flow of a request that is on its way. One that had none until now takes over what went along.
    package mutating func runningFlow(_ make: () -> RunningFlow) -> RunningFlow {
        let sent: AdvanceAnswer?
        switch self {
        case .flow(let flow): return flow
        case .inAdvance(let answer): sent = answer
        case .nothing: sent = nil
        }
        let flow = make()
        flow.beginSent(carrying: sent)
        self = .flow(flow)
        return flow
    }
}
