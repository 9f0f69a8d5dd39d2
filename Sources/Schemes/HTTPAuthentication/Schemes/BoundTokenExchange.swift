package import HTTPTypes
package import Secrets

/// A token that is bound to a key (RFC 9449 section 7.1). Its proof is a field of its own, which the sender makes anew for each send.
///
/// There is one answer, and a second one for a server that wants its nonce in the proof (section 9).
package struct BoundTokenExchange: OneMessageExchange {
    private enum State {
        /// Valid transition: `.sent`.
        case fresh
        /// The token is out. Valid transition: `.sentAgain`.
        case sent
        /// The token is out with the server's nonce.
        case sentAgain
    }

    private let token: SharedSecret
    private var state = State.fresh

    /// Answers with `token`.
    package init(token: SharedSecret) { self.token = token }

    package mutating func received(
        _ challenge: Challenge?,
        _ fields: HTTPFields,
        by party: ChallengedParty
    ) -> ExchangeStep {
        switch state {
        case .fresh:
            // RFC 9449 is about servers: no proxy can check a proof that names the server's URL.
            guard case .origin = party, let challenge else { return .fail(.notOffered) }
            guard challenge.token68 == nil else { return .fail(.malformedChallenge) }
            state = .sent
        case .sent:
            guard let challenge, challenge.wantsNonce, fields[.proofNonce] != nil else { return .fail(.refused) }
            state = .sentAgain
        case .sentAgain: return .fail(.refused)
        }
        guard let value = BearerExchange.value(of: token, named: "DPoP") else {
            return .fail(.passwordNotRepresentable)
        }
        return .send(field: party.answerField, value: value, sameConnection: false)
    }
}
