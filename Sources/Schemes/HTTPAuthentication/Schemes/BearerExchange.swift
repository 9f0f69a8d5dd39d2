package import HTTPTypes
package import Secrets

/// An exchange whose answer does not depend on the challenge.
///
/// ``AuthenticationExchange`` holds it as an existential. With one the compiler moves the enum of schemes in place; without one
/// it copies all of it, with NTLM's keys, for each response: 1,000 to 1,450 instructions more a challenge.
package protocol OneMessageExchange: Sendable {
    /// Answers a challenge; `nil` if the party does not offer the scheme.
    ///
    /// - Parameter fields: the fields of the response.
    mutating func received(_ challenge: Challenge?, _ fields: HTTPFields, by party: ChallengedParty) -> ExchangeStep
}

/// A token that is sent as it is (RFC 6750 section 2.1). There is one answer.
package struct BearerExchange: OneMessageExchange {
    private let token: SharedSecret
    private var hasSentToken = false

    /// Answers with `token`.
    package init(token: SharedSecret) {
        self.token = token
    }

    package mutating func received(
        _ challenge: Challenge?,
        _ fields: HTTPFields,
        by party: ChallengedParty
    ) -> ExchangeStep {
        guard !hasSentToken else { return .fail(.refused) }
        guard let challenge else { return .fail(.notOffered) }
        guard challenge.token68 == nil else { return .fail(.malformedChallenge) }
        guard let value = Self.value(of: token) else { return .fail(.passwordNotRepresentable) }
        hasSentToken = true
        return .send(field: party.answerField, value: value, sameConnection: false)
    }

    /// The value of the field; `nil` for an empty token, and for one with a character that RFC 6750 does not allow.
    ///
    /// RFC 6750 allows the characters of `token68`. Services also use others that a field may hold, so all visible characters of
    /// ASCII are sent.
    ///
    /// - Parameter scheme: `DPoP` for a token that is bound to a key (RFC 9449 section 7.1).
    package static func value(of token: SharedSecret, named scheme: StaticString = "Bearer") -> AuthorizationValue? {
        token.withBytes { bytes in
            guard !bytes.isEmpty, bytes.indices.allSatisfy({ (0x21...0x7E).contains(bytes[$0]) }) else { return nil }
            var text: [UInt8] = []
            // Full capacity from the start, because growth would leave a copy of the token in freed memory.
            let prefix = "\(scheme) ".utf8
            text.reserveCapacity(prefix.count + bytes.count)
            defer { erase(&text) }
            text.append(contentsOf: prefix)
            for index in bytes.indices { text.append(bytes[index]) }
            return AuthorizationValue(String(decoding: text, as: UTF8.self))
        }
    }
}
