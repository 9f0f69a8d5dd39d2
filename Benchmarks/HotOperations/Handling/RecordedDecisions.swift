internal import BenchmarkSupport
package import ChallengeHandling
internal import HTTPAuthentication
internal import HTTPTypes
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

    /// The profile anew, as for a reload.
    package func compile() throws -> CompiledProfile { try CompiledProfile(fixture.profile, at: fixture.now) }

    /// A handler whose passwords are proven.
    ///
    /// An unproven password has one attempt at a time, so threads cannot share it.
    package func makeHandler() throws -> ChallengeHandler {
        let handler = ChallengeHandler(try compile(), clock: fixture.clock)
        var ntlm = handler.exchange(for: fixture.negotiate.request)
        for fields in [fixture.negotiate.fields, ntlmChallenge] { _ = ntlm.received(status: 401, fields: fields) }
        precondition(ntlm.received(status: 200, fields: [:]) == .accepted, "the password is not accepted by NTLM")
        var digest = handler.exchange(for: fixture.digest.request)
        _ = digest.received(status: 401, fields: fixture.digest.fields)
        precondition(digest.received(status: 200, fields: [:]) == .accepted, "the password is not accepted by Digest")
        var basic = handler.authentication(of: basicRequest)
        _ = basic.begin()
        _ = basic.received(status: 401, fields: fixture.basic.fields)
        guard case .deliver(.accepted) = basic.received(status: 200, fields: [:]) else {
            preconditionFailure("the password is not accepted by Basic")
        }
        return handler
    }

    /// How many kinds there are.
    package static let kinds = 4

    /// What threads decide.
    package enum Work: String, CaseIterable, Sendable {
        /// One decision of each kind, in turns.
        case mixed
        /// Requests of one account that are answered in advance, from the request to its accepted response.
        case oneAccount = "one-account"
    }

    /// Makes one decision.
    ///
    /// - Returns: whether it is the one that the profile demands.
    package func decide(_ work: Work, _ number: Int, by handler: ChallengeHandler) -> Bool {
        switch work {
        case .mixed: decideMixed(number, by: handler)
        case .oneAccount: answerInAdvance(by: handler)
        }
    }

    private func answerInAdvance(by handler: ChallengeHandler) -> Bool {
        var authentication = handler.authentication(of: basicRequest)
        guard case .send(let sending) = authentication.begin() else { return false }
        // The first request after a reload is challenged once more.
        if sending.authorization == nil {
            guard case .send = authentication.received(status: 401, fields: fixture.basic.fields) else { return false }
        }
        guard case .deliver(.accepted) = authentication.received(status: 200, fields: [:]) else { return false }
        return true
    }

    private var basicRequest: OutgoingRequest {
        let challenged = fixture.basic.request
        return OutgoingRequest(origin: challenged.origin, method: challenged.method, target: challenged.target)
    }

    private func decideMixed(_ number: Int, by handler: ChallengeHandler) -> Bool {
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
