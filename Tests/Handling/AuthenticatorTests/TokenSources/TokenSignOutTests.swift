import CredentialStores
import LiveServers
import OAuth
import Sallyport
import Secrets
import Synchronization
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// A sign-out of an account with tokens.
@Suite(.inTurn) struct TokenSignOutTests {
    @Test("A sign-out takes the refresh token back at the service, then clears the store", arguments: [false, true])
    func signOut(fails: Bool) async throws {
        let world = TokenWorld(refresh: "r0")
        let store = MemoryCredentialStore()
        let source = try world.source(.refreshToken, store: store)
        try await source.signedIn(
            TokenGrant(access: AccessToken(SharedSecret(utf8: "a0"), expiry: 1_000), refresh: SharedSecret(utf8: "r0"))
        )
        let authenticator = try world.authenticator(source, first: true, store: store)
        #expect(try await world.get(authenticator) == 200)
        if fails { world.state.withLock { $0.failure = TokenWorld.Lost() } }
        let report = await authenticator.signOut()
        #expect(
            world.state.withLock { $0.revocations } == ["token=r1&token_type_hint=refresh_token&client_id=sallyport"]
        )
        #expect(report.revokedTokens == (fails ? [] : ["tracker"]) && report.failures.count == (fails ? 1 : 0))
        #expect(authenticator.accounts.isEmpty)
        #expect(try await TokenWorld.storedRefreshToken(store) == nil)
        world.state.withLock { $0.failure = nil }
        await #expect(throws: OAuthTokenError.notSignedIn("tracker")) { try await world.get(authenticator) }
        #expect(world.tokenRequests == 1)
    }

    @Test("A token that a request gets while a sign-out waits for another account ends with the sign-out")
    func duringSignOut() async throws {
        /// Its sign-out sends a request of the other account.
        final class Slow: TokenSource {
            let during: @Sendable () async throws -> Void
            init(_ during: @escaping @Sendable () async throws -> Void) { self.during = during }
            func token(for question: TokenQuestion) async throws -> AccessToken? { nil }
            func signOut() async throws -> Bool {
                try await during()
                return true
            }
        }
        let world = TokenWorld(refresh: "r0")
        let source = try world.source(.refreshToken)
        final class Seen: Sendable {
            let authenticator = Mutex<Authenticator?>(nil)
            let statuses = Mutex<[Int]>([])
        }
        let seen = Seen()
        var first = AccountPlace(name: "first", sites: ["https://first.acme.example"])
        first.tokens = Slow {
            let authenticator = try #require(seen.authenticator.withLock { $0 })
            let status = try await world.get(authenticator)
            seen.statuses.withLock { $0.append(status) }
        }
        let signedIn = try world.authenticator(source, first: true) { [first] in $0.places.insert(first, at: 0) }
        seen.authenticator.withLock { $0 = signedIn }
        try await source.signedIn(
            TokenGrant(access: AccessToken(SharedSecret(utf8: "a0"), expiry: 1_000), refresh: SharedSecret(utf8: "r0"))
        )
        let report = await signedIn.signOut()
        #expect(report.failures.isEmpty && report.accounts == ["tracker"])
        #expect(seen.statuses.withLock { $0 } == [200])
        #expect(signedIn.accounts.isEmpty)
        await #expect(throws: OAuthTokenError.notSignedIn("tracker")) { try await world.get(signedIn) }
    }
}
