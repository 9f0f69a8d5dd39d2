import ChallengeHandling
import Credentials
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportNIO
import Synchronization
import Testing

/// Requests whose party has just accepted an answer, or whose connection is authenticated: they need no flow until somebody asks.
@Suite struct RequestsWithoutFlowTests {
    private static let digest = "Digest realm=\"r\", qop=\"auth\", algorithm=SHA-256, nonce="

    /// No rule has a path, and the clock stands still, so that the password stays accepted.
    private func handler(_ schemes: [AuthenticationScheme], observer: EventObserver? = nil) throws -> ChallengeHandler {
        let account = Account(
            name: "jdoe",
            user: "jdoe",
            domain: "ACME",
            password: SharedSecret(utf8: ClientProfile.password)
        )
        let sites = [ClientProfile.site]
        let profile = SecurityProfile(
            sites: try SiteList(parsing: sites[0], name: "test"),
            schemes: schemes,
            accounts: [.init(account, sites: sites, allowsCleartext: true, allowsUnbound: true)]
        )
        return ChallengeHandler(
            try CompiledProfile(profile, at: 0),
            clock: ManualClock(nanoseconds: 1),
            observer: observer
        )
    }

    /// A channel on which one request was challenged and accepted.
    private func proven(_ handler: ChallengeHandler, _ challenge: String, _ target: String = "/") throws
        -> ClientHarness
    {
        let harness = try ClientHarness(handler)
        harness.request(.GET, target)
        #expect(try harness.sent()["Authorization"] == nil)
        try harness.challenge(challenge)
        #expect(try harness.sent()["Authorization"] != nil)
        try harness.respond(200)
        return harness
    }

    /// A channel that NTLM has authenticated.
    private func bound(_ handler: ChallengeHandler) throws -> ClientHarness {
        let harness = try ClientHarness(handler)
        harness.request()
        _ = try harness.sent()
        try harness.challenge("NTLM")
        try logOn(harness)
        try harness.respond(200)
        return harness
    }

    /// Answers NEGOTIATE, and takes AUTHENTICATE.
    private func logOn(_ harness: ClientHarness) throws {
        var server = NTLMServer()
        let negotiate = try #require(try harness.sent()["Authorization"])
        guard case .challenge(let challenge) = try server.reply(to: negotiate) else {
            Issue.record("no NEGOTIATE")
            return
        }
        try harness.challenge(challenge)
        let authenticate = try #require(try harness.sent()["Authorization"])
        #expect(try server.reply(to: authenticate) == .accepted)
    }

    @Test("Each gets the answer that was accepted before, also with a body that can be sent again") func accepted()
        throws
    {
        let harness = try proven(try handler([.basic]), "Basic realm=x")
        for (method, body) in [(HTTPMethod.GET, nil), (.POST, "data"), (.GET, nil)] {
            let writes = harness.request(
                method,
                "/a",
                body.map { ["Content-Length": "\($0.utf8.count)"] } ?? [:],
                body: body
            )
            let sent = try harness.sent()
            // RFC 7617 section 2: base64 of "jdoe:Correct-Horse", made with coreutils.
            #expect(sent["Authorization"] == "Basic amRvZTpDb3JyZWN0LUhvcnNl")
            #expect(sent.body == body ?? "" && sent.isEnded && writes.haveSucceeded)
            try harness.respond(200)
        }
        #expect(harness.user.statuses == [200, 200, 200, 200] && harness.user.outcomes.allSatisfy { $0 == .accepted })
    }

    @Test("A password that is refused later is sent no more") func refused() throws {
        let handler = try handler([.basic])
        let harness = try proven(handler, "Basic realm=x")
        harness.request()
        #expect(try harness.sent()["Authorization"] != nil)
        try harness.challenge("Basic realm=x")
        #expect(try !harness.hasSentMore)
        #expect(harness.user.outcomes.last == .withheld(.credentialsRefused(account: "jdoe"), by: .origin))
        let other = try ClientHarness(handler)
        other.request()
        #expect(try other.sent()["Authorization"] == nil)
    }

    @Test("An old nonce of Digest is replaced, and the body goes out again") func stale() throws {
        let harness = try proven(try handler([.digest]), "\(Self.digest)\"n1\"")
        let writes = harness.request(.POST, "/a", ["Content-Length": "4"], body: "data")
        let first = try harness.sent()
        #expect(first["Authorization"]?.contains("nc=00000002") == true && first.body == "data")
        try harness.challenge("\(Self.digest)\"n2\", stale=true")
        let second = try harness.sent()
        #expect(
            second["Authorization"]?.contains("nonce=\"n2\"") == true && second.body == "data" && writes.haveSucceeded
        )
        try harness.respond(200)
        #expect(harness.user.statuses == [200, 200] && harness.user.outcomes.last == .accepted)
    }

    @Test("A server that proves itself wrongly gets no further request, and its response does not arrive")
    func unproven() throws {
        let harness = try proven(try handler([.digest]), "\(Self.digest)\"n1\"")
        harness.request()
        _ = try harness.sent()
        try harness.respond(200, ["Authentication-Info": "rspauth=\"00\", qop=auth"])
        #expect(harness.user.statuses == [200])
        guard case .notProven(_, by: .origin)? = harness.user.errors.first as? AuthenticationError else {
            Issue.record("\(harness.user.errors)")
            return
        }
    }

    @Test("One whose connection closes goes on with another, with its answer") func lost() throws {
        let handler = try handler([.basic])
        let harness = try proven(handler, "Basic realm=x")
        harness.request(.GET, "/a")
        let field = try harness.sent()["Authorization"]
        harness.channel.close(promise: nil)
        let second = try ClientHarness(handler, continuing: try harness.continued())
        #expect(try second.sent()["Authorization"] == field && field != nil)
        try second.respond(200)
        #expect(second.user.outcomes == [.accepted])
    }

    @Test("On a connection that NTLM has authenticated nothing is sent, until the server asks again")
    func onBoundConnection() throws {
        let harness = try bound(try handler([.ntlm]))
        harness.request(.POST, "/a", ["Content-Length": "4"], body: "data")
        let sent = try harness.sent()
        #expect(sent["Authorization"] == nil && sent.body == "data")
        try harness.respond(200)
        #expect(harness.user.outcomes == [.accepted, .notChallenged])
        harness.request(.GET, "/b")
        #expect(try harness.sent()["Authorization"] == nil)
        try harness.challenge("NTLM")
        try logOn(harness)
        try harness.respond(200)
        #expect(harness.user.statuses == [200, 200, 200] && harness.user.outcomes.last == .accepted)
    }

    @Test("Where the server asks for Basic on some pages, they have it on such a connection, too")
    func basicOnBoundConnection() throws {
        let handler = try handler([.ntlm, .basic])
        let harness = try proven(handler, "Basic realm=x", "/old/a")
        harness.request(.GET, "/b")
        #expect(try harness.sent()["Authorization"] == nil)
        try harness.challenge("NTLM")
        try logOn(harness)
        try harness.respond(200)
        harness.request(.GET, "/old/c")
        #expect(try harness.sent()["Authorization"]?.hasPrefix("Basic ") == true)
        try harness.respond(200)
        #expect(
            harness.user.statuses == [200, 200, 200] && harness.user.outcomes == [.accepted, .accepted, .accepted]
        )
    }

    @Test("A body that can be sent once waits for the word there, as everywhere") func onceOnBoundConnection() throws {
        let harness = try bound(try handler([.ntlm]))
        harness.request(.POST, "/a", ["Transfer-Encoding": "chunked"], body: "data", ends: false)
        let sent = try harness.sent()
        #expect(sent["Expect"] == "100-continue" && sent.body.isEmpty)
    }

    @Test("Events tell of each request: its challenge, its answer in advance, and those without an answer")
    func observed() throws {
        for (scheme, challenge) in [(AuthenticationScheme.basic, "Basic realm=x"), (.ntlm, "NTLM")] {
            let events = Events()
            let handler = try handler([scheme], observer: EventObserver { events.add($0) })
            let harness = scheme == .ntlm ? try bound(handler) : try proven(handler, challenge)
            let before = events.begun
            harness.request(.GET, "/a")
            _ = try harness.sent()
            try harness.respond(200)
            #expect(before == 1 && events.begun == 2, "\(scheme)")
        }
    }

    private final class Events: Sendable {
        private let requests = Mutex(Set<UInt64>())

        var begun: Int { requests.withLock { $0.count } }

        func add(_ event: AuthenticationEvent) {
            guard let request = event.request else { return }
            requests.withLock { _ = $0.insert(request) }
        }
    }

    @Test("Such a connection is not used with a password that was replaced") func replaced() throws {
        let handler = try handler([.ntlm])
        let harness = try bound(handler)
        try handler.updateUserCredentials(account: "jdoe", password: SharedSecret(utf8: "New-Horse"))
        harness.request(.GET, "/a")
        let second = try ClientHarness(handler, continuing: try harness.continued())
        #expect(try second.sent().head.uri == "/a")
    }
}
