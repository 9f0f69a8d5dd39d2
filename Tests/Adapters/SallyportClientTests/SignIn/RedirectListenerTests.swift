import Foundation
import Hostnames
import LiveServers
import NIOCore
import NIOPosix
import OAuth
import Secrets
import Testing

@testable import SallyportClient

/// The redirect of a browser, and what else comes to its port.
@Suite(.inTurn) struct RedirectListenerTests {
    private static let issuer = "https://login.acme.example"

    private func authorization(_ listener: RedirectListener, namesIssuer: Bool = true) throws -> AuthorizationRequest {
        let client = OAuthClient(id: "app", tokenEndpoint: try ServiceURL(Self.issuer + "/token"))
        let service = AuthorizationRequest.Service(
            authorizationEndpoint: try ServiceURL(Self.issuer + "/authorize"),
            issuer: Self.issuer,
            namesIssuer: namesIssuer
        )
        return AuthorizationRequest(client, service, redirect: listener.redirect)
    }

    private func state(of authorization: AuthorizationRequest) throws -> String {
        let parameter = try #require(authorization.url.split(separator: "&").first { $0.hasPrefix("state=") })
        return String(parameter.dropFirst(6))
    }

    /// A redirect that is right unless the test changes it.
    private func target(_ authorization: AuthorizationRequest, code: String = "c0de", issuer: String = Self.issuer)
        throws
        -> String
    {
        "/callback?code=\(code)&state=\(try state(of: authorization))&iss=\(issuer)"
    }

    private func text(_ secret: SharedSecret) -> String {
        secret.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    /// Sends the requests one after the other while the listener waits, and returns their pages.
    private func run(
        _ listener: RedirectListener,
        _ authorization: AuthorizationRequest,
        _ requests: [(method: String, target: String)],
        limit: TimeAmount = .patient
    ) async throws -> (result: Result<SharedSecret, any Error>, pages: [ScriptedBrowser.Page]) {
        async let pages = Task { [redirect = listener.redirect] in
            try requests.map { try ScriptedBrowser.request(redirect, $0.method, target: $0.target) }
        }.value
        let result: Result<SharedSecret, any Error>
        do {
            result = .success(try await listener.code(for: authorization, limit: limit))
        } catch {
            result = .failure(error)
        }
        return (result, try await pages)
    }

    /// Whether the port is listened to no more.
    private func isClosed(_ listener: RedirectListener) async -> Bool {
        (try? await ServerPort.waitUntilClosed(listener.redirect.origin.port)) != nil
    }

    /// A listener on a port of our own: the system may give one of its own to another test once the listener is closed.
    private func listenerOfOwnPort() async throws -> RedirectListener {
        try await .start(at: "http://127.0.0.1:\(ServerPort.take())/callback")
    }

    @Test("No other program takes the port of a redirect to localhost on ::1") func otherLoopback() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        // A machine without IPv6 has no such address.
        guard let free = try? await ServerBootstrap(group: group).bind(host: "::1", port: 0).get() else { return }
        let port = try #require(free.localAddress?.port)
        let listener = try await RedirectListener.start(at: "http://localhost/callback")
        await #expect(throws: IOError.self) {
            _ = try await ServerBootstrap(group: group).bind(host: "::1", port: Int(listener.redirect.origin.port))
                .get()
        }
        await listener.close()
        // Where another program has it already, no browser is led there.
        await #expect(throws: RedirectError.self) {
            _ = try await RedirectListener.start(at: "http://localhost:\(port)/callback")
        }
        try await free.close()
    }

    @Test("The code of the right redirect, a plain page, and then nothing is listened to") func code() async throws {
        let listener = try await listenerOfOwnPort()
        #expect(listener.redirect.origin.host.description == "127.0.0.1" && listener.redirect.path == "/callback")
        let authorization = try authorization(listener)
        let (result, pages) = try await run(listener, authorization, [("GET", try target(authorization))])
        #expect(text(try result.get()) == "c0de")
        #expect(pages.map(\.status) == [200])
        #expect(pages[0].body.contains("You can close this window."))
        // Nothing of the address stands in the page or goes on to another one.
        #expect(!pages[0].body.contains("c0de") && pages[0].head.contains("no-store"))
        #expect(pages[0].head.contains("no-referrer") && pages[0].head.contains("default-src 'none'"))
        #expect(await isClosed(listener))
    }

    @Test("Requests of other programs change nothing: other paths, methods and states") func others() async throws {
        let listener = try await RedirectListener.start()
        let authorization = try authorization(listener)
        let right = try target(authorization)
        let (result, pages) = try await run(
            listener,
            authorization,
            [
                ("GET", "/favicon.ico"), ("GET", "/callback/?code=evil"), ("GET", "//callback?code=evil"),
                ("POST", right.replacing("c0de", with: "evil")), ("HEAD", right.replacing("c0de", with: "evil")),
                ("GET", "/callback"), ("GET", "/callback?code=evil&state=AAAAAAAAAAAAAAAAAAAAAA&iss=\(Self.issuer)"),
                ("GET", "/callback?code=evil&\(right.dropFirst(10))"), ("GET", "/callback?error=access_denied"),
                ("GET", "/callback?code=" + String(repeating: "a", count: TokenLimits.redirectBytes)), ("GET", right),
            ]
        )
        #expect(text(try result.get()) == "c0de")
        #expect(pages.map(\.status) == [404, 404, 404, 405, 405, 400, 400, 400, 400, 400, 200])
    }

    @Test("Mix-up: a redirect with the right state of another service ends the sign-in") func mixUp() async throws {
        for issuer in ["https://attacker.example", ""] {
            let listener = try await RedirectListener.start()
            let authorization = try authorization(listener)
            let (result, pages) = try await run(
                listener,
                authorization,
                [("GET", try target(authorization, issuer: issuer))]
            )
            #expect(throws: AuthorizationError.otherIssuer) { try result.get() }
            #expect(pages.map(\.status) == [400])
        }
    }

    @Test("Token substitution: a token in the redirect is not a code") func substitution() async throws {
        let listener = try await RedirectListener.start()
        let authorization = try authorization(listener)
        let target =
            "/callback?access_token=evil&token_type=bearer&state=\(try state(of: authorization))&iss=\(Self.issuer)"
        let (result, _) = try await run(listener, authorization, [("GET", target)])
        #expect(throws: AuthorizationError.noCode) { try result.get() }
    }

    @Test("A user who refuses") func refused() async throws {
        let listener = try await RedirectListener.start()
        let authorization = try authorization(listener)
        let target = "/callback?error=access_denied&state=\(try state(of: authorization))&iss=\(Self.issuer)"
        let (result, pages) = try await run(listener, authorization, [("GET", target)])
        #expect(throws: AuthorizationError.refused(OAuthRefusal(code: .accessDenied, text: nil))) { try result.get() }
        #expect(pages[0].body.contains("has failed"))
    }

    @Test("A browser that does not come back ends the wait, and the port") func limit() async throws {
        let listener = try await listenerOfOwnPort()
        let authorization = try authorization(listener)
        await #expect(throws: RedirectError.noRedirect(seconds: 1)) {
            try await listener.code(for: authorization, limit: .seconds(1))
        }
        #expect(await isClosed(listener))
    }

    @Test("A cancelled task stops listening") func cancelled() async throws {
        let listener = try await listenerOfOwnPort()
        let authorization = try authorization(listener)
        let task = Task { try await listener.code(for: authorization) }
        _ = try ScriptedBrowser.request(listener.redirect, target: "/")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await isClosed(listener))
    }

    @Test("A flood of other requests does not end the wait") func flood() async throws {
        let listener = try await RedirectListener.start()
        let authorization = try authorization(listener)
        var requests = Array(repeating: (method: "GET", target: "/x"), count: 100)
        requests += Array(repeating: (method: "GET", target: "/callback?code=evil&state=guessed"), count: 100)
        requests += Array(repeating: (method: "POST", target: "/callback"), count: 100)
        requests.append(("GET", try target(authorization)))
        let (result, pages) = try await run(listener, authorization, requests)
        #expect(text(try result.get()) == "c0de")
        #expect(pages.last?.status == 200 && pages.dropLast().allSatisfy { $0.status >= 400 })
    }

    @Test("Connections that are held keep no browser out") func held() async throws {
        let listener = try await RedirectListener.start()
        let authorization = try authorization(listener)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: Int(listener.redirect.origin.port))
        var held: [any Channel] = []
        for _ in 0..<RedirectListener.mostConnections * 2 {
            held.append(
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(to: address).get()
            )
        }
        let (result, pages) = try await run(listener, authorization, [("GET", try target(authorization))])
        #expect(text(try result.get()) == "c0de")
        #expect(pages.map(\.status) == [200])
        for channel in held { try? await channel.close() }
    }

    /// RFC 8252 section 7.3 lets a service take any port; RFC 6749 section 3.1.2.3 compares all else byte for byte.
    @Test(
        "Only the port is added to what the client has registered",
        arguments: [
            ("http://127.0.0.1", "http://127.0.0.1:PORT"), ("http://127.0.0.1/", "http://127.0.0.1:PORT/"),
            ("http://localhost", "http://localhost:PORT"), ("http://LocalHost/CB", "http://LocalHost:PORT/CB"),
            ("http://127.0.0.1/a%20b", "http://127.0.0.1:PORT/a%20b"),
        ]
    )
    func spelling(redirect: String, expected: String) async throws {
        let listener = try await RedirectListener.start(at: redirect)
        let port = "\(listener.redirect.origin.port)"
        #expect(try sentRedirect(listener) == expected.replacing("PORT", with: port))
        await listener.close()
    }

    @Test(
        "What is no redirect of a program on this machine",
        arguments: [
            "https://127.0.0.1/cb", "http://127.0.0.2/cb", "http://example.com/cb", "http://[::1]/cb", "nothing",
            "http://127.0.0.1/cb?x=1", "http://127.0.0.1/cb#f",
        ]
    )
    func badRedirects(text: String) async throws {
        await #expect(throws: RedirectError.self) { try await RedirectListener.start(at: text) }
    }

    @Test("A port that is taken is named") func taken() async throws {
        let first = try await listenerOfOwnPort()
        let port = first.redirect.origin.port
        do {
            _ = try await RedirectListener.start(at: "http://127.0.0.1:\(port)/callback")
            Issue.record("two listeners have one port")
        } catch RedirectError.cannotListen(let taken, _) {
            #expect(taken == Int(port))
        }
        await first.close()
        #expect(await isClosed(first))
        let second = try await RedirectListener.start(at: "http://localhost:\(port)/")
        #expect(second.redirect.origin.host.description == "localhost" && second.redirect.origin.port == port)
        await second.close()
    }

    @Test(
        "A port that is written is fixed, also the usual one of http",
        .enabled("needs a port 80 that is free, and that this user may listen at") { await Self.mayListen(at: 80) }
    )
    func usualPort() async throws {
        for host in ["127.0.0.1", "localhost"] {
            let listener = try await RedirectListener.start(at: "http://\(host):80/cb")
            #expect(listener.redirect.spelling == "http://\(host):80/cb")
            #expect(try sentRedirect(listener) == "http://\(host):80/cb")
            await listener.close()
        }
    }

    /// The redirect in the address that a browser is led to.
    private func sentRedirect(_ listener: RedirectListener) throws -> String? {
        let field = try authorization(listener).url.split(separator: "&").first { $0.hasPrefix("redirect_uri=") }
        return field?.dropFirst("redirect_uri=".count).removingPercentEncoding
    }

    private static func mayListen(at port: Int) async -> Bool {
        let channel = try? await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: port).get()
        try? await channel?.close()
        return channel != nil
    }
}
