internal import BenchmarkSupport
internal import HTTPAuthentication
internal import HTTPTypes
package import Sallyport
internal import WireFormat

/// One decision of each kind from the recording that ships, made by threads while the profile is replaced.
package struct RecordedDecisions: Sendable {
    private let fixture: HandlerFixture
    private let ntlmChallenge: HTTPFields

    package init() throws {
        fixture = try HandlerFixture()
        let challenge = try NTLMFixture().challenge
        ntlmChallenge = [.wwwAuthenticate: "NTLM " + Base64.encode(challenge.span)]
    }

    /// Another handler of the same profile, as a reload makes it.
    package func makeHandler(succeeding predecessor: ChallengeHandler) throws -> ChallengeHandler {
        try ChallengeHandler(profile: fixture.profile, at: fixture.now, succeeding: predecessor)
    }

    /// A handler whose passwords are proven.
    ///
    /// An unproven password has one attempt at a time, so threads cannot share it.
    package func makeHandler() throws -> ChallengeHandler {
        let handler = ChallengeHandler(try CompiledProfile(fixture.profile, at: fixture.now), clock: fixture.clock)
        var ntlm = handler.exchange(for: fixture.negotiate.request)
        for fields in [fixture.negotiate.fields, ntlmChallenge] { _ = ntlm.received(status: 401, fields: fields) }
        precondition(ntlm.received(status: 200, fields: [:]) == .accepted, "the password is not accepted by NTLM")
        var digest = handler.exchange(for: fixture.digest.request)
        _ = digest.received(status: 401, fields: fixture.digest.fields)
        precondition(digest.received(status: 200, fields: [:]) == .accepted, "the password is not accepted by Digest")
        return handler
    }

    /// How many kinds there are.
    package static let kinds = 4

    /// Makes one decision, the kinds in turns.
    ///
    /// - Returns: whether it is the one that the profile demands.
    package func decide(_ number: Int, by handler: ChallengeHandler) -> Bool {
        switch number % Self.kinds {
        case 0: return isAnswered(fixture.digest, by: handler)
        case 1: return !isAnswered(fixture.denied, by: handler)
        case 2: return isAnswered(fixture.negotiate, by: handler)
        default:
            if case .trusted = handler.evaluate(fixture.trust, now: fixture.now) { return true }
            return false
        }
    }

    private func isAnswered(_ challenged: HandlerFixture.Challenged, by handler: ChallengeHandler) -> Bool {
        var exchange = handler.exchange(for: challenged.request)
        if case .answer = exchange.received(status: 401, fields: challenged.fields) { return true }
        return false
    }
}
