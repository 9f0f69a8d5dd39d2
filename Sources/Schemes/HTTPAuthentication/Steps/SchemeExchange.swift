package import HTTPTypes

/// An exchange of a scheme that another target defines.
///
/// ``AuthenticationExchange`` keeps the order: it calls no method after a step that ends the exchange.
package protocol SchemeExchange: Sendable {
    /// Whether the last message that was sent depends on the secret of the account.
    var hasSentPassword: Bool { get }

    /// Takes a challenge; `nil` if the party does not offer the scheme.
    mutating func received(_ challenge: Challenge?, by party: ChallengedParty) -> ExchangeStep

    /// Takes a response without a challenge.
    mutating func finished(_ fields: HTTPFields, by party: ChallengedParty) -> ExchangeStep

    /// Takes what ``ExchangeStep/needs(_:)`` asked for.
    mutating func supplied(_ supply: SchemeSupply, for party: ChallengedParty) -> ExchangeStep
}

extension SchemeExchange {
    /// The response is the answer to the request.
    package mutating func finished(_ fields: HTTPFields, by party: ChallengedParty) -> ExchangeStep { .done }

    /// The scheme asked for nothing.
    package mutating func supplied(_ supply: SchemeSupply, for party: ChallengedParty) -> ExchangeStep {
        .fail(.outOfOrder)
    }
}
