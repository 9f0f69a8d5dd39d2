import CredentialStores
import Hostnames
import LiveServers
import OAuth
import Sallyport
import Secrets
import Synchronization
import TestSupport
import Testing

@testable import Authenticator

/// Row 37: how long a user stays signed in.
@Suite(.row(37), .inTurn) struct SignInLimitTests {
    private let world = TokenWorld(refresh: "r0")
    private let store = MemoryCredentialStore()

    /// A run of a program of its own. Access tokens live for an hour.
    private func source(limit: Int64?) throws -> OAuthTokenSource {
        OAuthTokenSource(
            "tracker",
            issuer: try ServiceURL("https://login.acme.example"),
            grant: .refreshToken,
            wish: OAuthClient.Wish(),
            requiresTLS: true,
            store: store,
            signInLimit: limit,
            service: {
                OAuthService(
                    client: OAuthClient(id: "app", tokenEndpoint: try ServiceURL("https://login.acme.example/token")),
                    revocationEndpoint: try ServiceURL("https://login.acme.example/revoke")
                )
            },
            clock: { [world] in world.state.withLock { $0.now } },
            send: { [world] in try await world.answer($0) }
        )
    }

    /// At 1,000 s of the world's clock, with a token until 4,600 s.
    private func signIn(_ source: OAuthTokenSource, refresh: String? = "r0") async throws {
        let grant = TokenGrant(
            access: AccessToken(SharedSecret(utf8: "a0"), expiry: 4_600),
            refresh: refresh.map { SharedSecret(utf8: $0) }
        )
        try await source.signedIn(grant)
    }

    private func token(_ source: OAuthTokenSource) async throws -> (text: String, end: Int64?)? {
        let origin = try Origin(parsing: "https://api.acme.example")
        return try await source.token(for: TokenQuestion(origin: origin)).map {
            (TokenWorld.text($0.secret), $0.expiry)
        }
    }

    @Test("The sign-in ends after its time, whatever was refreshed, and also in a run that began later") func ends()
        async throws
    {
        let first = try source(limit: 5_000)
        try await signIn(first)
        world.passes(3_600)
        // Granted until 8,200 s, and used until the sign-in ends.
        let renewed = try #require(try await token(first))
        #expect(renewed == ("a1", 6_000))
        world.passes(1_399)
        let later = try source(limit: 5_000)
        #expect(try await token(later)?.text == "a1")
        world.passes(1)
        await #expect(throws: OAuthTokenError.signInEnded("tracker")) { try await token(first) }
        #expect("\(OAuthTokenError.signInEnded("tracker"))".hasSuffix("sign in again"))
        // The tokens are gone, here and at the service.
        #expect(try await store.list().isEmpty)
        #expect(world.state.withLock { $0.revocations.count } == 2)
        await #expect(throws: OAuthTokenError.signInEnded("tracker")) { try await token(later) }
        await #expect(throws: OAuthTokenError.notSignedIn("tracker")) { try await token(later) }
        // A new sign-in begins a new time.
        world.state.withLock { _ = $0.refresh.insert("s0") }
        try await later.signedIn(
            TokenGrant(access: AccessToken(SharedSecret(utf8: "b0"), expiry: 7_000), refresh: SharedSecret(utf8: "s0"))
        )
        world.passes(4_999)
        #expect(try await token(later)?.end == 11_000)
    }

    @Test("A service that is down, or a token without a refresh token, changes nothing", arguments: [true, false])
    func access(hasRefresh: Bool) async throws {
        try await signIn(source(limit: 2_000), refresh: hasRefresh ? "r0" : nil)
        world.passes(1_999)
        #expect(try await token(source(limit: 2_000))?.end == 3_000)
        world.passes(1)
        world.state.withLock { $0.failure = TokenWorld.Lost() }
        await #expect(throws: OAuthTokenError.signInEnded("tracker")) { try await token(source(limit: 2_000)) }
        #expect(try await store.list().isEmpty)
    }

    @Test("A limit that is set or shortened later counts from the sign-in, not from the last refresh") func later()
        async throws
    {
        try await signIn(source(limit: nil))
        world.passes(3_600)
        #expect(try await token(source(limit: nil))?.end == 8_200)
        #expect(try await token(source(limit: 4_000))?.end == 5_000)
        await #expect(throws: OAuthTokenError.signInEnded("tracker")) { try await token(source(limit: 3_600)) }
    }

    @Test("A clock that was put back far before the sign-in gives no longer time") func clock() async throws {
        try await signIn(source(limit: 5_000))
        world.passes(-300)
        #expect(try await token(source(limit: 5_000))?.text == "a0")
        world.passes(-1)
        await #expect(throws: OAuthTokenError.signInEnded("tracker")) { try await token(source(limit: 5_000)) }
    }
}
