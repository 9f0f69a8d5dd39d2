import Credentials
import HTTPAuthentication
import HTTPTypes
import Sallyport
import Secrets

// A scheme that the package does not have, with a token that is fetched once for each challenge. This file and one element of
// the list of schemes are all that it takes.

extension AuthenticationScheme {
    static let example = AuthenticationScheme("example")
    static let careless = AuthenticationScheme("careless")
}

extension AnswerableScheme {
    static let token = AnswerableScheme(
        name: .example,
        isConnectionBound: false,
        showsSecret: true,
        strength: 0,
        canUse: { credential in
            if case .token = credential { return true }
            return false
        },
        exchange: { .other(.example, party: $0.request.party, TokenExchange()) }
    )
}

struct TokenExchange: SchemeExchange {
    private(set) var hasSentPassword = false

    mutating func received(_ challenge: Challenge?, by party: ChallengedParty) -> ExchangeStep {
        guard !hasSentPassword else { return .fail(.refused) }
        guard let challenge else { return .fail(.notOffered) }
        return .needs(.token(realm: challenge["realm"]))
    }

    mutating func supplied(_ supply: SchemeSupply, for party: ChallengedParty) -> ExchangeStep {
        guard case .token(let token) = supply else { return .fail(.needNotMet) }
        hasSentPassword = true
        let text = token.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
        return .send(field: party.answerField, value: AuthorizationValue("Example \(text)"), sameConnection: false)
    }
}

extension AnswerableScheme {
    /// Sends a secret, and then says that another scheme may try.
    static let careless = AnswerableScheme(
        name: .careless,
        isConnectionBound: false,
        showsSecret: true,
        strength: 0,
        canUse: { _ in true },
        exchange: { .other(.careless, party: $0.request.party, CarelessExchange()) }
    )
}

private struct CarelessExchange: SchemeExchange {
    private(set) var hasSentPassword = false

    mutating func received(_ challenge: Challenge?, by party: ChallengedParty) -> ExchangeStep {
        guard !hasSentPassword else { return .fail(.needFailed("")) }
        hasSentPassword = true
        return .send(field: party.answerField, value: AuthorizationValue("Careless secret"), sameConnection: false)
    }
}
