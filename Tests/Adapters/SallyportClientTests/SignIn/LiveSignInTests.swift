import CredentialStores
import Hostnames
import LiveServers
import NIOCore
import OAuth
import Sallyport
import Secrets
import Testing

@testable import SallyportClient

/// Sign-ins of a user at a service of Authlib, and attacks on them.
@Suite(.inTurn, .serialized, .needs(.authlib)) struct LiveSignInTests {
    /// One service for all tests.
    private static let shared = Result { try OAuthServer() }

    private let server: OAuthServer
    private let service: TokenService
    private let issuer: ServiceURL
    private let metadata: ServerMetadata
    private let client: OAuthClient

    init() async throws {
        server = try Self.shared.get()
        let service = try TokenService.patient(tls: nil)
        self.service = service
        issuer = try ServiceURL(server.url)
        metadata = try await ServiceDiscovery { try await service.send($0) }.metadata(of: issuer)
        client = OAuthClient(id: "browser", tokenEndpoint: metadata.tokenEndpoint)
    }

    private func authorization(_ redirect: ServiceURL, scope: String = "read") throws -> AuthorizationRequest {
        AuthorizationRequest(client, try .init(metadata), redirect: redirect, wish: .init(scope: scope))
    }

    private func refusal(_ request: TokenRequest) async throws -> OAuthRefusal.Code? {
        do {
            _ = try client.grant(from: try await service.send(request), at: 0)
            return nil
        } catch TokenServiceError.refused(let refusal) {
            return refusal.code
        }
    }

    @Test("The code flow: page, redirect, code, token, interface") func codeFlow() async throws {
        let listener = try await RedirectListener.start()
        let authorization = try authorization(listener.redirect)
        async let code = listener.code(for: authorization, limit: .patient)
        let page = try ScriptedBrowser.request(ServiceURL(authorization.url))
        #expect(page.status == 200 && page.body.contains("<form method=post>"))
        let redirect = try ScriptedBrowser.signIn(authorization.url)
        #expect(redirect.origin == listener.redirect.origin)
        #expect(try ScriptedBrowser.request(redirect).status == 200)
        let response = try await service.send(authorization.tokenRequest(for: try await code))
        let grant = try client.grant(from: response, at: 1_000)
        #expect(grant.access.scope == "read" && grant.access.expiry == 4_600 && grant.refresh != nil)
    }

    @Test("A user who refuses ends the wait") func refused() async throws {
        let listener = try await RedirectListener.start()
        let authorization = try authorization(listener.redirect)
        async let code = listener.code(for: authorization, limit: .patient)
        _ = try ScriptedBrowser.request(ScriptedBrowser.signIn(authorization.url, decision: "no"))
        do {
            _ = try await code
            Issue.record("a code after a refusal")
        } catch AuthorizationError.refused(let refusal) {
            #expect(refusal.code == .accessDenied)
        }
    }

    @Test("Code injection: a stolen code does not fit the proof of another sign-in") func injection() async throws {
        let listener = try await RedirectListener.start()
        let (victim, attacker) = (try authorization(listener.redirect), try authorization(listener.redirect))
        let stolen = try victim.code(in: ScriptedBrowser.signIn(victim.url).target)
        #expect(try await refusal(attacker.tokenRequest(for: stolen)) == .invalidGrant)
        // A refused attempt must not have been a success for anyone.
        let foreign = try ScriptedBrowser.signIn(victim.url).target
        #expect(throws: AuthorizationError.otherState) { try attacker.code(in: foreign) }
        await listener.close()
    }

    @Test("A code is taken once") func codeReplay() async throws {
        let authorization = try authorization(ServiceURL("http://127.0.0.1:9/callback"))
        let code = try authorization.code(in: ScriptedBrowser.signIn(authorization.url).target)
        #expect(try await refusal(authorization.tokenRequest(for: code)) == nil)
        #expect(try await refusal(authorization.tokenRequest(for: code)) == .invalidGrant)
    }

    @Test("Redirect mismatch: the service leads no browser to another place, and exchanges no code for it")
    func redirects() async throws {
        let elsewhere = try authorization(ServiceURL("https://attacker.example/callback"))
        let page = try ScriptedBrowser.request(ServiceURL(elsewhere.url), "POST", form: "user=jdoe&decision=yes")
        #expect(page.status == 400 && page.location == nil)
        let one = try authorization(ServiceURL("http://127.0.0.1:9/callback"))
        let code = try one.code(in: ScriptedBrowser.signIn(one.url).target)
        let other = try authorization(ServiceURL("http://127.0.0.1:10/callback"))
        #expect(try await refusal(other.tokenRequest(for: code)) == .invalidGrant)
    }

    @Test("PKCE downgrade: a request without S256 is refused there, and a service without S256 here") func downgrade()
        async throws
    {
        let authorization = try authorization(ServiceURL("http://127.0.0.1:9/callback"))
        let plain = authorization.url.replacing("code_challenge_method=S256", with: "code_challenge_method=plain")
        #expect(try ScriptedBrowser.signIn(plain).target.contains("error=invalid_request"))
        let document = #"""
            {"issuer":"\#(server.url)","authorization_endpoint":"\#(server.url)/authorize",
            "token_endpoint":"\#(server.url)/token","code_challenge_methods_supported":["plain"]}
            """#
        let weak = try ServerMetadata(TokenResponse(status: 200, body: Array(document.utf8).span), for: issuer)
        #expect(throws: TokenServiceError.self) { try AuthorizationRequest.Service(weak) }
    }

    @Test("Mix-up: metadata of another issuer is refused") func otherIssuer() async throws {
        let localhost = try ServiceURL(server.url.replacing("127.0.0.1", with: "localhost"))
        let service = service
        await #expect(throws: TokenServiceError.self) {
            try await ServiceDiscovery { try await service.send($0) }.metadata(of: localhost)
        }
    }

    @Test("Refresh replay: a refresh token that was stolen and used is refused, and forgotten here")
    func refreshReplay()
        async throws
    {
        let authorization = try authorization(ServiceURL("http://127.0.0.1:9/callback"))
        let code = try authorization.code(in: ScriptedBrowser.signIn(authorization.url).target)
        let grant = try client.grant(from: try await service.send(authorization.tokenRequest(for: code)), at: 0)
        let store = MemoryCredentialStore()
        let (client, service) = (client, service)
        let source = OAuthTokenSource(
            "jdoe",
            issuer: issuer,
            grant: .refreshToken,
            store: store,
            service: { OAuthService(client: client) },
            send: { try await service.send($0) }
        )
        try await source.signedIn(grant)
        // The thief is first.
        #expect(try await refusal(client.refresh(try #require(grant.refresh))) == nil)
        let question = TokenQuestion(origin: issuer.origin, replaced: grant.access.secret)
        await #expect(throws: TokenServiceError.self) { try await source.token(for: question) }
        #expect(try await store.list().isEmpty)
        await #expect(throws: OAuthTokenError.notSignedIn("jdoe")) { try await source.token(for: question) }
    }

    @Test("The service of a resource, by the resource's document (RFC 9728)") func resource() async throws {
        let service = service
        let discovery = ServiceDiscovery { try await service.send($0) }
        #expect(try await discovery.issuer(of: ServiceURL(server.url + "/items")) == issuer)
        await #expect(throws: TokenServiceError.status(404)) {
            try await discovery.issuer(of: ServiceURL(server.url + "/admin"))
        }
    }
}
