import CredentialSources
import Credentials
import HTTPAuthentication
import Hostnames
import LiveServers
import Secrets
import Synchronization
import Testing
import Tokens

@testable import ChallengeHandling
@testable import Sallyport

/// The rows of the table of ArcGIS's capabilities that need no live server, by number. The token rows are in `ArcGISTokenTests`.
@Suite(.inTurn) struct ArcGISRowTests {
    private struct Failure: Error {}

    private func world(_ reply: @escaping @Sendable (CredentialQuestion) async throws -> CredentialReply) throws
        -> (AuthenticatorWorld, ScriptedSource)
    {
        let source = ScriptedSource(reply)
        return (try AuthenticatorWorld(prompt: source), source)
    }

    @Test("Row 34: the web tier and the token tier are places of one profile, each with its scheme") func tiers()
        async throws
    {
        var options = AuthenticatorOptions()
        var tokens = AccountPlace(name: "tokens", sites: ["https://wiki.acme.example/rest"])
        tokens.tokens = FixedTokenSource(AccessToken(SharedSecret(utf8: "t0ken")))
        tokens.sendsTokenFirst = true
        options.places = [tokens]
        let world = try AuthenticatorWorld(sources: [ScriptedSource("jdoe", "right")], options)
        #expect(try await world.get("/page") == 200)
        let request = OutgoingRequest(origin: try Origin(parsing: "https://wiki.acme.example"), target: "/rest/info")
        try await world.authenticator.prepare(request)
        var authentication = world.authenticator.current.handler.authentication(of: request)
        guard case .send(let sending) = authentication.begin() else {
            Issue.record("it waits")
            return
        }
        #expect(sending.authorization?.value == "Bearer t0ken")
    }

    @Test("Row 37: a token is replaced before it ends") func ends() async throws {
        let world = TokenWorld()
        let authenticator = try world.authenticator(world.source(), first: true)
        #expect(try await world.get(authenticator) == 200)
        world.passes(3_541)
        #expect(try await world.get(authenticator) == 200)
        #expect(world.tokenRequests == 2)
    }

    @Test("Row 50: a reply 'use' repeats the request with the credential") func use() async throws {
        let (world, source) = try world { _ in
            .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "right")))
        }
        #expect(try await world.get() == 200)
        #expect(source.questions.count == 1)
    }

    @Test("Row 51: a reply 'go on without' delivers the server's refusal itself") func without() async throws {
        let (world, _) = try world { _ in .goOnWithout }
        #expect(try await world.get() == 401)
    }

    @Test("Row 52: a reply 'cancel' ends the request with an error of its own; a cancelled task with CancellationError")
    func cancel() async throws {
        let (world, _) = try world { _ in .cancel }
        await #expect(throws: AuthenticatorError.cancelled) { try await world.get() }
        let gate = TestGate()
        let (waiting, _) = try self.world { _ in
            await gate.wait()
            try Task.checkCancellation()
            return .nothing
        }
        let task = Task { try await waiting.get() }
        task.cancel()
        await gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Row 53: a space that is rejected is not asked about again, another one is") func reject() async throws {
        let (world, source) = try world { _ in .rejectSpace }
        for _ in 0..<3 { #expect(try await world.get() == 401) }
        #expect(source.questions.count == 1)
        #expect(try await world.get(from: "https://other.acme.example") == 401)
        #expect(source.questions.count == 2)
    }

    @Test("Row 54: what a source throws ends the request") func throwing() async throws {
        let (world, _) = try world { _ in throw Failure() }
        await #expect(throws: Failure.self) { try await world.get() }
    }

    @Test("Row 62: a scheme of which nothing is known is a value like the others") func schemes() throws {
        let scheme = AuthenticationScheme("Acme-Signature")
        let known: Set<AuthenticationScheme> = [.basic, .digest, .ntlm, .negotiate, .bearer]
        #expect(!known.contains(scheme))
        let fields: HTTPFields = [.wwwAuthenticate: #"Acme-Signature a="b", Basic realm="x""#]
        let offer = OfferedChallenges(by: .origin, in: fields)
        #expect(offer.includes(scheme) && offer.includes(.basic))
    }

    @Test("Row 63: a user's name may hold a domain, in both forms", arguments: [#"ACME\jdoe"#, "jdoe@acme.example"])
    func names(login: String) async throws {
        let credential = SuppliedCredential(login: login, password: SharedSecret(utf8: "right"))
        #expect(credential.user == "jdoe" || credential.user == login)
        let world = try AuthenticatorWorld(["/": "\(login):right"], sources: [ScriptedSource(login, "right")])
        #expect(try await world.get() == 200)
    }

    @Test("Row 71: a pattern names the hosts of a place, and no others") func patterns() async throws {
        let world = TokenWorld()
        let authenticator = try world.authenticator(world.source(), first: true)
        for (origin, sends) in [
            ("https://api.acme.example", true), ("https://a.b.acme.example", true),
            ("https://acme.example.evil", false),
        ] {
            let request = OutgoingRequest(origin: try Origin(parsing: origin), target: "/")
            try await authenticator.prepare(request)
            var authentication = authenticator.current.handler.authentication(of: request)
            guard case .send(let sending) = authentication.begin() else {
                Issue.record("it waits")
                return
            }
            #expect((sending.authorization != nil) == sends, "\(origin)")
        }
    }

    @Test("Row 72: one prompt is visible at a time, and equal questions share its reply") func prompts() async throws {
        let visible = Mutex((now: 0, most: 0, all: 0))
        let (world, _) = try world { _ in
            visible.withLock { visible in
                visible = (visible.now + 1, max(visible.most, visible.now + 1), visible.all + 1)
            }
            try await Task.sleep(for: .milliseconds(5))
            visible.withLock { $0.now -= 1 }
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "right")))
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                let host = ["wiki", "git", "mail", "forum"][number % 4]
                group.addTask { try await world.get(from: "https://\(host).acme.example") }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(visible.withLock { $0.most } == 1)
        #expect(visible.withLock { $0.all } == 4)
    }
}
