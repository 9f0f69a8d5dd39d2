internal import AllowedSites
internal import Credentials
package import HTTPAuthentication
package import HTTPTypes
internal import Hostnames

/// Whether a URL loading system may send a password by itself, with the scheme that it has chosen.
package enum SystemAnswer: Sendable {
    /// It may send the password of this account.
    case send(PreparedAccount)
    /// The party also offers this scheme, which the account may use and which is stronger.
    case stronger(AuthenticationScheme)
    /// It may not.
    case refuse(Refusal)
}

extension ChallengeHandler {
    /// Decides about a challenge that a URL loading system answers by itself if it gets a password.
    ///
    /// The checks are those of an exchange, without the attempt: such a system does not report how its answer ends.
    /// Report a refusal with ``PreparedAccount/wasRefused(by:)``.
    ///
    /// - Parameters:
    ///   - request: the request and the party that challenges.
    ///   - fields: the fields of its response.
    ///   - scheme: the scheme that the system has chosen.
    package func systemAnswer(
        to request: ChallengedRequest,
        fields: HTTPFields,
        with scheme: AuthenticationScheme
    ) -> SystemAnswer {
        if let refusal = siteRefusal(request.origin, path: request.path) { return .refuse(refusal) }
        guard request.canBeChallengedByItsParty else { return .refuse(.notAProxyRequest) }
        guard let index = compiled.accounts.assignment(for: request.origin, path: request.path) else {
            return .refuse(.noCredential)
        }
        let prepared = preparedAccount(at: index)
        let offer = OfferedChallenges(by: request.party, in: fields)
        let choice = SchemeChoice(schemes: prepared.schemes, offer: offer, declined: [])
        let response = Response(
            status: request.party.status,
            fields: fields,
            offer: offer,
            connection: .http1,
            nonces: .fresh
        )
        let chosen = choice.first { obstacle(to: $0, request, prepared, response) }
        let downgrade = downgrade(request, prepared, choice, chosen, fields)
        switch chosen {
        case .failure(.malformedChallenge(let line)): return .refuse(.malformedChallenge(line))
        case _ where downgrade != nil: return .refuse(downgrade ?? .noSupportedScheme)
        case .failure(let refusal): return .refuse(refusal)
        case .success(let best):
            guard let wanted = prepared.schemes.first(where: { $0.name == scheme }), offer.includes(scheme) else {
                return .refuse(.noSupportedScheme)
            }
            if let refusal = obstacle(to: wanted, request, prepared, response) { return .refuse(refusal) }
            let strongest = prepared.schemes[best]
            guard wanted.strength >= strongest.strength else { return .stronger(strongest.name) }
            guard !prepared.isSpent(request.place, path: request.withheldPath) else {
                return .refuse(.budgetSpent(account: prepared.account.name))
            }
            return .send(prepared)
        }
    }
}
