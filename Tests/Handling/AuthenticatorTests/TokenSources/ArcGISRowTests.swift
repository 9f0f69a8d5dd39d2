import CredentialSources
import Credentials
import HTTPAuthentication
import Hostnames
import LiveServers
import OAuth
import Sallyport
import Secrets
import Synchronization
import TestSupport
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// The rows of the table of ArcGIS's capabilities that need no live server, by number. The token rows are in `ArcGISTokenTests`.
@Suite(.inTurn) struct ArcGISRowTests {
    private struct Failure: Error {}

    private func world(_ reply: @escaping @Sendable (CredentialQuestion) async throws -> CredentialReply) throws
        -> (AuthenticatorWorld, ScriptedSource)
    {
        let source = ScriptedSource(reply)
        return (try AuthenticatorWorld(prompt: source), source)
    }

    @Test("Row 34: the web tier and the token tier are places of one profile, each with its scheme", .row(34))
    func tiers()
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

    @Test("Row 37: a token serves all requests until a minute before its end, and is replaced then", .row(37))
    func ends()
        async throws
    {
        let world = TokenWorld()
        let authenticator = try world.authenticator(world.source(), first: true)
        for seconds: Int64 in [0, 0, 1_800, 1_739] {
            world.passes(seconds)
            #expect(try await world.get(authenticator) == 200)
            #expect(world.tokenRequests == 1)
        }
        world.passes(1)
        for _ in 0..<3 { #expect(try await world.get(authenticator) == 200) }
        #expect(world.tokenRequests == 2)
        let (old, new) = ("Bearer a1", "Bearer a2")
        #expect(world.state.withLock { $0.seen } == [old, old, old, old, new, new, new])
    }

    @Test("Row 50: a reply 'use' repeats the request with the credential", .row(50)) func use() async throws {
        let (world, source) = try world { _ in
            .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "right")))
        }
        #expect(try await world.get() == 200)
        #expect(source.questions.count == 1)
    }

    @Test("Row 51: a reply 'go on without' delivers the server's refusal itself", .row(51)) func without() async throws
    {
        let (world, _) = try world { _ in .goOnWithout }
        #expect(try await world.get() == 401)
    }

    @Test(
        "Row 52: a reply 'cancel' ends the request with an error of its own; a cancelled task with CancellationError",
        .row(52)
    )
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

    @Test("Row 53: a space that is rejected is not asked about again, another one is", .row(53)) func reject()
        async throws
    {
        let (world, source) = try world { _ in .rejectSpace }
        for _ in 0..<3 { #expect(try await world.get() == 401) }
        #expect(source.questions.count == 1)
        #expect(try await world.get(from: "https://other.acme.example") == 401)
        #expect(source.questions.count == 2)
    }

    @Test("Row 54: what a source throws ends the request", .row(54)) func throwing() async throws {
        let (world, _) = try world { _ in throw Failure() }
        await #expect(throws: Failure.self) { try await world.get() }
    }

    @Test("Row 62: a scheme of which nothing is known is a value like the others", .row(62)) func schemes() throws {
        let scheme = AuthenticationScheme("Acme-Signature")
        let known: Set<AuthenticationScheme> = [.basic, .digest, .ntlm, .negotiate, .bearer]
        #expect(!known.contains(scheme))
        let fields: HTTPFields = [.wwwAuthenticate: #"Acme-Signature a="b", Basic realm="x""#]
        let offer = OfferedChallenges(by: .origin, in: fields)
        #expect(offer.includes(scheme) && offer.includes(.basic))
    }

    @Test(
        "Row 63: the domain before a backslash is split off, and a realm behind an at sign stays in the name",
        .row(63),
        arguments: [
            (#"ACME\jdoe"#, "jdoe", "ACME"), ("jdoe@acme.example", "jdoe@acme.example", nil), ("jdoe", "jdoe", nil),
            (#"ACME\jdoe@acme.example"#, "jdoe@acme.example", "ACME"),
        ]
    )
    func names(login: String, user: String, domain: String?) async throws {
        let credential = SuppliedCredential(login: login, password: SharedSecret(utf8: "right"))
        #expect(credential.user == user && credential.domain == domain)
        #expect(credential.login == login)
        // Basic sends the text as it was typed, and the account has its parts.
        let world = try AuthenticatorWorld(["/": "\(login):right"], sources: [ScriptedSource(login, "right")])
        #expect(try await world.get() == 200)
        #expect(world.authenticator.accounts.map(\.user) == [user])
        #expect(world.authenticator.accounts.map(\.domain) == [domain])
    }

    @Test("Row 63: an empty domain before a backslash is a domain for NTLM, and Basic does not send it")
    func emptyDomain() async throws {
        let world = try AuthenticatorWorld(sources: [ScriptedSource(#"\jdoe"#, "right")])
        #expect(try await world.get() == 200)
        #expect(world.authenticator.accounts.map(\.user) == ["jdoe"])
        #expect(world.authenticator.accounts.map(\.domain) == [""])
    }

    @Test("Row 71: a pattern names the hosts of a place, and no others", .row(71)) func patterns() async throws {
        let below = ["https://api.acme.example", "https://a.b.acme.example"]
        let others = ["https://acme.example", "https://evilacme.example", "https://acme.example.evil.example"]
        // The profile allows them all, so that the pattern alone decides.
        let handler = try ChallengeHandler(
            profile: SecurityProfile(
                sites: try SiteList(parsing: (below + others).joined(separator: "\n"), name: "test"),
                schemes: [.basic]
            ),
            at: 0
        )
        for (sites, named) in [(["*.acme.example"], below), (["*.acme.example"] + others, below + others)] {
            var place = AccountPlace(name: "behind the proxy", sites: sites)
            place.tokens = FixedTokenSource(AccessToken(SharedSecret(utf8: "t0ken")))
            place.sendsTokenFirst = true
            let authenticator = try Authenticator(
                CurrentHandler(handler),
                options: AuthenticatorOptions(places: [place])
            )
            for origin in below + others {
                let request = OutgoingRequest(origin: try Origin(parsing: origin), target: "/")
                try await authenticator.prepare(request)
                var authentication = authenticator.current.handler.authentication(of: request)
                guard case .send(let sending) = authentication.begin() else {
                    Issue.record("it waits")
                    return
                }
                #expect(sending.authorization?.value == (named.contains(origin) ? "Bearer t0ken" : nil), "\(origin)")
            }
        }
    }

    @Test("Row 72: one prompt is visible at a time, and equal questions share its reply", .row(72)) func prompts()
        async throws
    {
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
