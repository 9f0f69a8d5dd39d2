import CredentialStores
import LiveServers
import OAuth
import Sallyport
import Secrets
import Synchronization
import TestSupport
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// A sign-out of an account with tokens.
@Suite(.row(44, 45), .inTurn) struct TokenSignOutTests {
    @Test("A sign-out clears the store, and takes both tokens back at the service", arguments: [false, true])
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
        let taken = ["r1&token_type_hint=refresh_token", "a1&token_type_hint=access_token"].prefix(fails ? 1 : 2)
        #expect(world.state.withLock { $0.revocations } == taken.map { "token=\($0)&client_id=sallyport" })
        #expect(report.revokedTokens == (fails ? [] : ["tracker"]) && report.failures.count == (fails ? 1 : 0))
        #expect(authenticator.accounts.isEmpty)
        #expect(try await TokenWorld.storedRefreshToken(store) == nil)
        world.state.withLock { $0.failure = nil }
        await #expect(throws: OAuthTokenError.notSignedIn("tracker")) { try await world.get(authenticator) }
        #expect(world.tokenRequests == 1)
    }

    @Test("The store is empty before the service is asked") func order() async throws {
        let gate = TestGate()
        let (world, store) = (TokenWorld(gate: gate, refresh: "r0"), MemoryCredentialStore())
        let source = try world.source(.refreshToken, store: store)
        try await source.signedIn(
            TokenGrant(access: AccessToken(SharedSecret(utf8: "a0"), expiry: 2_000), refresh: SharedSecret(utf8: "r0"))
        )
        async let isRevoked = source.signOut()
        try await eventually("the service is asked") { world.state.withLock { $0.revocations.count == 1 } }
        #expect(try await store.list().isEmpty)
        await gate.open()
        #expect(try await isRevoked)
    }

    /// Its sign-out does something.
    private final class Slow: TokenSource {
        let during: @Sendable () async throws -> Void
        init(_ during: @escaping @Sendable () async throws -> Void) { self.during = during }
        func token(for question: TokenQuestion) async throws -> AccessToken? { nil }
        func signOut() async throws -> Bool {
            try await during()
            return true
        }
    }

    @Test("Eight services are asked at once, and a token that a request gets before the ninth is asked ends, too")
    func duringSignOut() async throws {
        let world = TokenWorld(refresh: "r0")
        let source = try world.source(.refreshToken)
        final class Seen: Sendable {
            let authenticator = Mutex<Authenticator?>(nil)
            let statuses = Mutex<[Int]>([])
            let running = Mutex(0)
        }
        let seen = Seen()
        let places = (1...8).map { number in
            var place = AccountPlace(name: "slow\(number)", sites: ["https://slow\(number).acme.example"])
            place.tokens = Slow {
                let running = seen.running.withLock { running in
                    running += 1
                    return running
                }
                guard running == 8 else {
                    // All eight have begun before one of them ends.
                    try await eventually("all have begun") { seen.statuses.withLock { !$0.isEmpty } }
                    return
                }
                let authenticator = try #require(seen.authenticator.withLock { $0 })
                let status = try await world.get(authenticator)
                seen.statuses.withLock { $0.append(status) }
            }
            return place
        }
        let signedIn = try world.authenticator(source, first: true) { $0.places.insert(contentsOf: places, at: 0) }
        seen.authenticator.withLock { $0 = signedIn }
        try await source.signedIn(
            TokenGrant(access: AccessToken(SharedSecret(utf8: "a0"), expiry: 1_000), refresh: SharedSecret(utf8: "r0"))
        )
        let report = await signedIn.signOut()
        #expect(report.failures.isEmpty && report.accounts == ["tracker"])
        #expect(report.revokedTokens == places.map(\.name) + ["tracker"])
        #expect(seen.statuses.withLock { $0 } == [200])
        #expect(signedIn.accounts.isEmpty)
        await #expect(throws: OAuthTokenError.notSignedIn("tracker")) { try await world.get(signedIn) }
    }
}
