import NIOCore
import NIOEmbedded
import NIOHTTP1
import Sallyport
import SallyportNIO
import Testing

@Suite struct AuthenticationClientHandlerTests {
    let challenges: ChallengeHandler

    init() throws { challenges = try ClientProfile.handler() }

    @Test("A request without a challenge passes unchanged") func plain() throws {
        let harness = try ClientHarness(challenges)
        let headers: HTTPHeaders = ["Host": "wiki.acme.example", "Authorization": "Basic mine", "X": "1"]
        let writes = harness.request(.GET, "/%69ndex?a=b", headers)
        let sent = try harness.sent()
        #expect(sent.head.uri == "/%69ndex?a=b" && sent.head.headers == headers && sent.isEnded && sent.body.isEmpty)
        #expect(writes.haveSucceeded)
        try harness.respond(200, body: "page", trailers: ["T": "1"])
        #expect(harness.user.statuses == [200] && harness.user.body == "page" && harness.user.ends == 1)
        #expect(harness.user.trailers == ["T": "1"])
        #expect(harness.user.outcomes == [.notChallenged] && harness.user.headsAtOutcome == [0])
        #expect(harness.user.errors.isEmpty)
    }

    @Test("A 401 is answered, and only the last response arrives") func basic() throws {
        let harness = try ClientHarness(challenges)
        let writes = harness.request(.GET, "/", ["Authorization": "Basic mine"])
        #expect(try harness.sent()["Authorization"] == "Basic mine")
        try harness.challenge()
        let again = try harness.sent()
        // RFC 7617 section 2: base64 of "ACME\jdoe:…" or "jdoe:…", made with coreutils.
        #expect(again["Authorization"] == "Basic amRvZTpDb3JyZWN0LUhvcnNl")
        #expect(again.head.headers["Authorization"].count == 1 && again.isEnded && writes.haveSucceeded)
        try harness.respond(200, body: "page")
        #expect(harness.user.statuses == [200] && harness.user.body == "page" && harness.user.outcomes == [.accepted])

        // The space is known now.
        harness.request(.GET, "/other")
        #expect(try harness.sent()["Authorization"] != nil)
        try harness.respond(204)
        #expect(harness.user.statuses == [200, 204] && harness.user.outcomes == [.accepted, .accepted])
    }

    @Test("Without answers in advance each request begins without") func notInAdvance() throws {
        let harness = try ClientHarness(challenges) { $0.answersInAdvance = false }
        for _ in 0..<2 {
            harness.request()
            #expect(try harness.sent()["Authorization"] == nil)
            try harness.challenge()
            #expect(try harness.sent()["Authorization"] != nil)
            try harness.respond(200)
        }
    }

    @Test("A wrong password is sent once, and the second 401 arrives whole") func refused() throws {
        let harness = try ClientHarness(challenges)
        harness.request()
        _ = try harness.sent()
        try harness.challenge()
        _ = try harness.sent()
        try harness.challenge(body: "refused")
        #expect(try !harness.hasSentMore)
        #expect(harness.user.statuses == [401] && harness.user.body == "refused" && harness.user.ends == 1)
        #expect(harness.user.outcomes == [.withheld(.credentialsRefused(account: "jdoe"), by: .origin)])
    }

    @Test("NTLM sends the body with its last message only, and then keeps the connection") func ntlm() throws {
        let harness = try ClientHarness(challenges)
        var server = NTLMServer()
        let writes = harness.request(
            .POST,
            "/form",
            ["Transfer-Encoding": "chunked"],
            body: "data",
            trailers: ["T": "1"]
        )
        let first = try harness.sent()
        #expect(first.body == "data" && first.trailers == ["T": "1"])
        try harness.challenge("NTLM")

        let negotiate = try harness.sent()
        #expect(negotiate["Content-Length"] == "0" && negotiate["Transfer-Encoding"] == nil && negotiate.body.isEmpty)
        #expect(negotiate.isEnded && negotiate.trailers == nil)
        guard case .challenge(let value) = try server.reply(to: #require(negotiate["Authorization"])) else {
            Issue.record("no NEGOTIATE")
            return
        }
        try harness.challenge(value)

        let last = try harness.sent()
        #expect(try server.reply(to: #require(last["Authorization"])) == .accepted)
        #expect(last.body == "data" && last.trailers == ["T": "1"] && last["Transfer-Encoding"] == "chunked")
        try harness.respond(200)
        #expect(harness.user.statuses == [200] && harness.user.outcomes == [.accepted] && writes.haveSucceeded)

        harness.request(.GET, "/next")
        #expect(try harness.sent()["Authorization"] == nil)
        try harness.respond(200)
        // Another account must not use a connection that is jdoe's.
        harness.request(.GET, "/build/1")
        let box = try harness.continued()
        let other = try ClientHarness(challenges, continuing: box)
        #expect(try other.sent().head.uri == "/build/1")
    }

    @Test("HEAD, 204 and 304 have no body to drain, and end at once", arguments: [HTTPMethod.HEAD, .GET])
    func noBody(method: HTTPMethod) throws {
        let harness = try ClientHarness(challenges)
        harness.request(method)
        _ = try harness.sent()
        // The length of a response to HEAD is that of the page.
        let length = method == .HEAD ? "5000000" : "0"
        try harness.respond(401, ["WWW-Authenticate": "Basic realm=x", "Content-Length": length])
        let again = try harness.sent()
        #expect(again.head.method == method && again["Authorization"] != nil)
        for status in [204, 304] {
            try harness.respond(status)
            harness.request(method)
            _ = try harness.sent()
        }
        #expect(harness.user.statuses == [204, 304])
    }

    @Test("Interim responses pass, and 101 ends the work of the handler") func interim() throws {
        let harness = try ClientHarness(challenges)
        harness.request(.GET, "/", ["Upgrade": "echo"])
        _ = try harness.sent()
        try harness.challenge()
        _ = try harness.sent()
        let early = HTTPResponseHead(version: .http1_1, status: .init(statusCode: 103))
        try harness.give(.head(early))
        #expect(harness.user.statuses == [103])
        try harness.give(.head(HTTPResponseHead(version: .http1_1, status: .switchingProtocols)))
        #expect(harness.user.statuses == [103, 101] && harness.user.outcomes == [.accepted])
        // A 401 is a response of the other protocol now.
        try harness.challenge()
        #expect(harness.user.statuses == [103, 101, 401])
        let writes = harness.request(.GET, "/later", ["Host": "other.example"])
        #expect(try harness.sent().head.uri == "/later" && writes.haveSucceeded)
    }

    @Test("A proxy and an origin both ask") func bothParties() throws {
        let proxy = try Origin(parsing: ClientProfile.proxy)
        let harness = try ClientHarness(challenges, route: .forwarded(by: proxy))
        harness.request(.GET, "http://WIKI.acme.example:80/a?b", ["Host": "wiki.acme.example"])
        #expect(try harness.sent().head.uri == "http://wiki.acme.example/a?b")
        try harness.respond(407, ["Proxy-Authenticate": "Basic realm=p"], body: "no")
        #expect(try harness.sent()["Proxy-Authorization"] != nil)
        try harness.challenge()
        let both = try harness.sent()
        #expect(both["Proxy-Authorization"] != nil && both["Authorization"] != nil)
        try harness.respond(200)
        #expect(harness.user.statuses == [200] && harness.user.outcomes == [.accepted])
        harness.request(.GET, "/short")
        #expect(try harness.sent().head.uri == "http://wiki.acme.example/short")
    }

    @Test("A proxy that is not known to speak HTTP/1.1 is asked to keep the connection; a server is not")
    func persistence() throws {
        let proxy = try Origin(parsing: ClientProfile.proxy)
        let harness = try ClientHarness(challenges, route: .forwarded(by: proxy))
        for (value, own) in [("keep-alive", nil), (nil, nil), ("close", "close")] as [(String?, String?)] {
            var headers: HTTPHeaders = ["Host": "wiki.acme.example"]
            if let own { headers.add(name: "Proxy-Connection", value: own) }
            harness.request(.GET, "http://wiki.acme.example/", headers)
            #expect(try harness.sent()["Proxy-Connection"] == value)
            try harness.respond(200)
        }
        let direct = try ClientHarness(challenges)
        direct.request()
        #expect(try direct.sent()["Proxy-Connection"] == nil)
    }

    @Test("A 407 on a direct connection is not answered") func proxyInside() throws {
        let harness = try ClientHarness(challenges)
        harness.request()
        _ = try harness.sent()
        try harness.respond(407, ["Proxy-Authenticate": "Basic realm=p"], body: "no")
        #expect(
            harness.user.statuses == [407] && harness.user.body == "no" && harness.user.outcomes == [.notChallenged]
        )
    }

    @Test("A request for another host, and CONNECT, are refused without secrets in the error")
    func otherOrigin() throws {
        for (target, host) in [
            ("/", "evil.example"), ("http://user:secret@evil.example/?token=secret", "wiki.acme.example"),
            ("https://wiki.acme.example/", "wiki.acme.example"),
        ] {
            let harness = try ClientHarness(challenges)
            let writes = harness.request(.GET, target, ["Host": host])
            #expect(try !harness.hasSentMore && writes.errors.count == 2 && !harness.channel.isActive)
            let error = try #require(harness.user.errors.first as? AuthenticationError)
            guard case .otherOrigin = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!"\(error)".contains("secret") && !"\(error)".contains("\n"))
        }
        let harness = try ClientHarness(challenges)
        harness.request(.CONNECT, "wiki.acme.example:443")
        guard case .unsupportedTarget? = harness.user.errors.first as? AuthenticationError else {
            Issue.record("\(harness.user.errors)")
            return
        }
    }
}
