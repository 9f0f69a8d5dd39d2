import Credentials
import HTTPAuthentication
import HTTPTypes
import Negotiate
import Sallyport
import Synchronization
import TestLimits
import Testing

/// Requests of accounts that use Kerberos, with messages of a source that needs no KDC.
@Suite(.inTurn) struct KerberosRequestTests {
    /// A context of one message each way.
    ///
    /// Tests call it from one task.
    final class OneTrip: SystemContext, @unchecked Sendable {
        struct Refused: Error {}
        private(set) var isComplete = false
        var isMutual: Bool { isComplete }
        func step(_ message: [UInt8]) throws -> [UInt8]? {
            guard message == [1, 2, 3] else { throw Refused() }
            isComplete = true
            return nil
        }
        func integrityCode(over bytes: [UInt8]) throws -> [UInt8] { throw Refused() }
        func verify(integrityCode: [UInt8], over bytes: [UInt8]) throws { throw Refused() }
    }

    /// Makes messages, has none, or never answers.
    final class Source: SystemMessageSource {
        enum Kind { case message, nothing, silence, refusal }
        struct NoTicket: Error, CustomStringConvertible {
            var description: String { "no ticket" }
        }

        let kind: Kind
        let needs = Mutex<[SystemMessageNeed]>([])
        let wasCancelled = Atomic(false)

        init(_ kind: Kind) { self.kind = kind }

        func message(for need: SystemMessageNeed) async throws -> SystemMessage {
            needs.withLock { $0.append(need) }
            switch kind {
            case .message: return SystemMessage([0x60, 0], context: OneTrip())
            case .nothing: throw NoTicket()
            case .refusal: throw RefusedPassword("the password is wrong")
            case .silence:
                do { try await Task.sleep(for: .seconds(3_600)) } catch {
                    wasCancelled.store(true, ordering: .relaxed)
                    throw error
                }
                throw NoTicket()
            }
        }
    }

    /// `NegTokenResp { accept-completed, responseToken 010203 }` (RFC 4178 section 4.2.2).
    private static let proof = "Negotiate oQ4wDKADCgEAogUEAwECAw=="
    private static let offer = TestProfile.fields("Negotiate")

    private func handler(
        _ source: Source?,
        credential: Credential = .ticket,
        demandsProof: Bool = true,
        tickets: NegotiateRules.Tickets = .cache
    ) throws -> ChallengeHandler {
        var profile = try TestProfile.make(schemes: [.negotiate])
        let account = Account(name: "jdoe", user: "jdoe@ACME.EXAMPLE", credential: credential)
        let rules = NegotiateRules(usesKerberos: true, tickets: tickets, demandsServerProof: demandsProof)
        profile.accounts = [.init(account, sites: ["*.acme.example"], allowsUnbound: true, negotiate: rules)]
        profile.kerberos = source
        return try ChallengeHandler(profile: profile, at: 0)
    }

    private static let request = "https://wiki.acme.example/docs/a"

    /// Sends a request until its first answer, which is returned.
    private func answered(_ authentication: inout RequestAuthentication) async throws -> RequestStep {
        _ = authentication.begin()
        guard case .wait(let ticket) = authentication.received(status: 401, fields: Self.offer) else {
            throw Unexpected()
        }
        try await ticket.ready()
        return authentication.resume()
    }

    private struct Unexpected: Error {}

    @Test("The ticket goes out with the body, and the server's proof is checked") func ticket() async throws {
        let source = Source(.message)
        let handler = try handler(source)
        // Several at once, and one after another: a ticket is no password that must be tried alone for ever.
        for fields in [TestProfile.fields(Self.proof), [:]] {
            var authentication = handler.authentication(of: try OutgoingRequest(url: Self.request))
            guard case .send(let sending) = try await answered(&authentication) else { throw Unexpected() }
            #expect(sending.authorization?.value.hasPrefix("Negotiate YC") == true && sending.body == .whole)
            guard case .deliver(let outcome) = authentication.received(status: 200, fields: fields) else {
                throw Unexpected()
            }
            let missing = RequestOutcome.withheld(
                .exchangeFailed(account: "jdoe", .negotiation(.serverNotProven)),
                by: .origin
            )
            #expect(outcome == (fields.isEmpty ? missing : .accepted))
        }
        let first = source.needs.withLock { $0.first }
        let need = try #require(first)
        #expect(need.service == "HTTP/wiki.acme.example" && need.host == "wiki.acme.example")
        #expect(need.principal == "jdoe@ACME.EXAMPLE")
    }

    @Test("Refused tickets spend no password") func refused() async throws {
        let handler = try handler(Source(.message))
        for _ in 0..<5 {
            var authentication = handler.authentication(of: try OutgoingRequest(url: Self.request))
            guard case .send = try await answered(&authentication),
                case .deliver(.withheld(let refusal, by: .origin)) = authentication.received(
                    status: 401,
                    fields: Self.offer
                )
            else { throw Unexpected() }
            #expect(refusal == .exchangeFailed(account: "jdoe", .negotiation(.rejected)))
        }
    }

    @Test("Without a ticket: NTLM, if there is a password") func noTicket() async throws {
        let password = Credential.password(TestProfile.secret("Correct-Horse"))
        for credential in [Credential.ticket, password] {
            let handler = try handler(Source(.nothing), credential: credential)
            var authentication = handler.authentication(of: try OutgoingRequest(url: Self.request))
            switch try await answered(&authentication) {
            case .deliver(let outcome):
                #expect(credential.isTicket)
                #expect(
                    outcome
                        == .withheld(.exchangeFailed(account: "jdoe", .needFailed("Kerberos: no ticket")), by: .origin)
                )
            case .send(let sending):
                // NTLM alone, and its first message has no body.
                #expect(!credential.isTicket && sending.body == .empty)
                #expect(sending.authorization?.value.hasPrefix("Negotiate YE") == true)
            default: throw Unexpected()
            }
        }
    }

    @Test("A password that the KDC refuses is refused, and not sent by NTLM or again") func refusedPassword()
        async throws
    {
        let source = Source(.refusal)
        let password = Credential.password(TestProfile.secret("Wrong-Horse"))
        let handler = try handler(source, credential: password, tickets: .password)
        var first = handler.authentication(of: try OutgoingRequest(url: Self.request))
        guard case .deliver(let outcome) = try await answered(&first) else { throw Unexpected() }
        #expect(outcome == .withheld(.credentialsRefused(account: "jdoe"), by: .origin))
        var second = handler.authentication(of: try OutgoingRequest(url: Self.request))
        _ = second.begin()
        guard case .deliver(let later) = second.received(status: 401, fields: Self.offer) else { throw Unexpected() }
        #expect(later == .withheld(.budgetSpent(account: "jdoe"), by: .origin))
        let needs = source.needs.withLock { $0 }
        let secret = try #require(password.password)
        #expect(needs.map(\.tickets) == [.password(secret)])
    }

    @Test("A ticket for the password proves the password at the party that takes it") func provenPassword() async throws
    {
        let password = Credential.password(TestProfile.secret("Correct-Horse"))
        let handler = try handler(Source(.message), credential: password, tickets: .password)
        var authentication = handler.authentication(of: try OutgoingRequest(url: Self.request))
        guard case .send(let sending) = try await answered(&authentication) else { throw Unexpected() }
        #expect(sending.body == .whole)
        guard case .deliver(.accepted) = authentication.received(status: 200, fields: TestProfile.fields(Self.proof))
        else {
            throw Unexpected()
        }
    }

    @Test("A request that is given up cancels its fetch") func cancellation() async throws {
        let source = Source(.silence)
        let handler = try handler(source)
        func begin() throws {
            var authentication = handler.authentication(of: try OutgoingRequest(url: Self.request))
            _ = authentication.begin()
            guard case .wait(let ticket) = authentication.received(status: 401, fields: Self.offer) else {
                throw Unexpected()
            }
            #expect(ticket.timeLeft <= .seconds(RequestLimits.messageSeconds))
        }
        try begin()
        // The task may not have begun; then it ends at its first wait.
        try await eventually("the fetch is cancelled") { source.wasCancelled.load(ordering: .relaxed) }
    }

    @Test("A request whose body is gone waits for no message, and holds up no other request") func spentBody()
        async throws
    {
        let source = Source(.silence)
        let password = Credential.password(TestProfile.secret("Correct-Horse"))
        let handler = try handler(source, credential: password, tickets: .password)
        var upload = handler.authentication(of: try OutgoingRequest(url: Self.request, method: "POST", body: .once))
        var next = handler.authentication(of: try OutgoingRequest(url: Self.request))
        (_, _) = (upload.begin(), next.begin())
        guard case .deliver(let outcome) = upload.received(status: 401, fields: Self.offer) else { throw Unexpected() }
        #expect(outcome == .withheld(.bodySpent, by: .origin))
        guard case .wait(let ticket) = next.received(status: 401, fields: Self.offer) else { throw Unexpected() }
        // For its message, and not for the attempt of the first one, which may take longer.
        #expect(ticket.timeLeft <= .seconds(RequestLimits.messageSeconds))
        _ = consume upload
    }

    @Test("Requests whose tickets do not come wait at the same time, each for its own") func silence() async throws {
        let source = Source(.silence)
        let handler = try handler(source)
        var first = handler.authentication(of: try OutgoingRequest(url: Self.request))
        var second = handler.authentication(of: try OutgoingRequest(url: Self.request))
        (_, _) = (first.begin(), second.begin())
        guard case .wait = first.received(status: 401, fields: Self.offer),
            case .wait = second.received(status: 401, fields: Self.offer)
        else { throw Unexpected() }
        try await eventually("both wait") { source.needs.withLock { $0.count } == 2 }
        (_, _) = (first.resume(), second.resume())
    }

    @Test("Without a source the caller fetches the message") func noSource() throws {
        let handler = try handler(nil)
        var authentication = handler.authentication(of: try OutgoingRequest(url: Self.request))
        _ = authentication.begin()
        guard case .needs = authentication.received(status: 401, fields: Self.offer),
            case .send(let sending) = authentication.supplied(
                .message(SystemMessage([0x60, 0], context: OneTrip()))
            )
        else { throw Unexpected() }
        #expect(sending.authorization != nil)
    }
}
