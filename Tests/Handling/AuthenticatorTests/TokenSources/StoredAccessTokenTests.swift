import CredentialStores
import Foundation
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

/// A source of an issuer, whose access tokens the store keeps.
@Suite(.inTurn) struct StoredAccessTokenTests {
    private let question: TokenQuestion
    private let store = MemoryCredentialStore()
    private let world = TokenWorld(refresh: "r0")
    private let found = Count()

    init() throws { question = TokenQuestion(origin: try Origin(parsing: "https://api.acme.example")) }

    /// A run of a program of its own.
    private func source(_ issuer: String = "https://login.acme.example/a", store: (any CredentialStore)? = nil) throws
        -> OAuthTokenSource
    {
        OAuthTokenSource(
            "tracker",
            issuer: try ServiceURL(issuer),
            grant: .refreshToken,
            wish: OAuthClient.Wish(),
            requiresTLS: true,
            store: store ?? self.store,
            service: { [found] in
                found.value.withLock { $0 += 1 }
                return OAuthService(
                    client: OAuthClient(id: "app", tokenEndpoint: try ServiceURL("https://login.acme.example/token")),
                    revocationEndpoint: try ServiceURL("https://login.acme.example/revoke")
                )
            },
            clock: { [world] in world.state.withLock { $0.now } },
            send: { [world] in try await world.answer($0) }
        )
    }

    private func signedIn() async throws {
        let access = AccessToken(SharedSecret(utf8: "a0"), expiry: 2_000, scope: "read")
        try await source().signedIn(TokenGrant(access: access, refresh: SharedSecret(utf8: "r0")))
    }

    private func token(_ source: OAuthTokenSource, replacing old: String? = nil) async throws -> String? {
        var question = question
        question.replaced = old.map { SharedSecret(utf8: $0) }
        return try await source.token(for: question).map { TokenWorld.text($0.secret) }
    }

    @Test("The next run uses the token of the store, and asks no service") func kept() async throws {
        try await signedIn()
        #expect(try await token(source()) == "a0")
        #expect(world.tokenRequests == 0 && found.value.withLock { $0 } == 0)
        let kept = try #require(try await source().storedToken())
        #expect(kept.access.scope == "read" && kept.issuer == "https://login.acme.example/a")
    }

    @Test("A token that has ended, or was refused, is renewed, and the next one is kept") func renewed() async throws {
        try await signedIn()
        #expect(try await token(source(), replacing: "a0") == "a1")
        #expect(try await token(source(), replacing: "a0") == "a1")
        #expect(world.tokenRequests == 1)
        world.passes(3_600)
        #expect(try await token(source()) == "a2")
        #expect(try await token(source()) == "a2")
        #expect(world.tokenRequests == 2)
    }

    @Test("A refresh that fails leaves no old token in use, also for the next run") func failed() async throws {
        try await signedIn()
        world.state.withLock { $0.refusal = "temporarily_unavailable" }
        await #expect(throws: TokenServiceError.self) { try await token(source(), replacing: "a0") }
        await #expect(throws: TokenServiceError.self) { try await token(source()) }
        #expect(try await source().storedToken() == nil)
        world.state.withLock { $0.refusal = nil }
        #expect(try await token(source()) == "a1")
    }

    /// A store that keeps no access token.
    private struct Full: CredentialStore {
        let store: MemoryCredentialStore

        func credentials(for query: CredentialQuery, at now: Int64) async throws(CredentialStoreError)
            -> [StoredCredential]
        { try await store.credentials(for: query, at: now) }

        func list() async throws(CredentialStoreError) -> [CredentialListing] { try await store.list() }

        func save(_ credential: StoredCredential) async throws(CredentialStoreError) {
            guard credential.name.kind != .accessToken else { throw Self.error }
            try await store.save(credential)
        }

        func remove(_ name: CredentialName) async throws(CredentialStoreError) -> Bool { try await store.remove(name) }

        func removeAll() async throws(CredentialStoreError) -> Int { try await store.removeAll() }

        static let error = CredentialStoreError(place: "full", problem: .diskFull)
    }

    @Test("A token that the store does not keep ends a sign-in, and is reported after a renewal") func unkept()
        async throws
    {
        let grant = TokenGrant(access: AccessToken(SharedSecret(utf8: "a0")), refresh: SharedSecret(utf8: "r0"))
        let source = try source(store: Full(store: store))
        await #expect(throws: Full.error) { try await source.signedIn(grant) }
        let reported = Mutex<[CredentialStoreError?]>([])
        await source.reportUnkept { error in reported.withLock { $0.append(error as? CredentialStoreError) } }
        #expect(try await token(source, replacing: "a0") == "a1")
        #expect(reported.withLock { $0 } == [Full.error])
    }

    @Test("A token of 64 KiB is kept, and one that is all escapes with a scope of 100 KiB") func longest() async throws
    {
        for text in [String(repeating: "t", count: 65_536), String(repeating: "\"", count: 65_536)] {
            let access = AccessToken(
                SharedSecret(utf8: text),
                expiry: 2_000,
                scope: String(repeating: "scope ", count: 100 * 1_024 / 6)
            )
            try await source().signedIn(TokenGrant(access: access, refresh: SharedSecret(utf8: text)))
            #expect(try await token(source()) == text)
            #expect(try await source().hasRefreshToken())
        }
    }

    @Test("Token substitution: a token of another issuer at the same origin is not used") func otherIssuer()
        async throws
    {
        try await signedIn()
        #expect(try await source("https://login.acme.example/b").storedToken() == nil)
    }

    @Test("A sign-in without a refresh token forgets that of an earlier one") func withoutRefresh() async throws {
        try await signedIn()
        try await source().signedIn(TokenGrant(access: AccessToken(SharedSecret(utf8: "b0")), refresh: nil))
        #expect(try await token(source()) == "b0")
        #expect(try await !source().hasRefreshToken())
    }

    @Test("A sign-out takes both tokens back and clears them, also if the service is gone") func signOut()
        async throws
    {
        try await signedIn()
        #expect(try await source().signOut())
        let taken = ["r0&token_type_hint=refresh_token", "a0&token_type_hint=access_token"]
        #expect(world.state.withLock { $0.revocations } == taken.map { "token=\($0)&client_id=app" })
        #expect(try await store.list().isEmpty)
        try await signedIn()
        world.state.withLock { $0.failure = TokenWorld.Lost() }
        await #expect(throws: TokenWorld.Lost.self) { try await source().signOut() }
        #expect(try await store.list().isEmpty)
        #expect(try await !source().signOut())
    }

    @Test("Mix-up: a refresh token of another issuer at the same origin is not sent") func otherIssuersRefresh()
        async throws
    {
        try await signedIn()
        await #expect(throws: OAuthTokenError.notSignedIn("tracker")) {
            try await token(source("https://login.acme.example/b"))
        }
        #expect(world.tokenRequests == 0)
        #expect(try await source().hasRefreshToken())
    }

    @Test("Without a refresh token, a page that refuses the token does not take it from the others") func onlyToken()
        async throws
    {
        try await source().signedIn(TokenGrant(access: AccessToken(SharedSecret(utf8: "b0")), refresh: nil))
        let run = try source()
        #expect(try await token(run) == "b0")
        #expect(try await token(run, replacing: "b0") == nil)
        #expect(try await token(run) == "b0")
        #expect(try await token(source(), replacing: "b0") == nil)
        #expect(try await token(source()) == "b0")
        // One that has ended is not kept.
        try await source().signedIn(
            TokenGrant(access: AccessToken(SharedSecret(utf8: "b1"), expiry: 1_010), refresh: nil)
        )
        world.passes(10)
        await #expect(throws: OAuthTokenError.notSignedIn("tracker")) { try await token(source(), replacing: "b1") }
    }

    @Test("No end of the process leaves the token of one sign-in beside the refresh token of the next one") func mixed()
        async throws
    {
        try await signedIn()
        // Not stored: as if the process had ended before that.
        let access = AccessToken(SharedSecret(utf8: "b0"), kind: .dpop)
        try await source().signedIn(TokenGrant(access: access, refresh: SharedSecret(utf8: "q0")))
        #expect(try await source().storedToken() == nil)
    }

    @Test("A request during a sign-in waits for it, and does not bring back the tokens before it") func during()
        async throws
    {
        try await signedIn()
        world.passes(3_600)
        let hooked = HookedStore(store)
        let source = try source(store: hooked)
        let question = question
        hooked.request.withLock { $0 = { try await source.token(for: question) } }
        try await source.signedIn(TokenGrant(access: AccessToken(SharedSecret(utf8: "b0")), refresh: nil))
        let task = try #require(hooked.task.withLock { $0 })
        #expect(TokenWorld.text(try await task.value?.secret) == "b0")
        #expect(try await token(source) == "b0")
        #expect(try await !source.hasRefreshToken())
        #expect(world.tokenRequests == 0)
    }

    @Test("Processes with one file renew one after the other: eight get one token, and none uses a refresh token twice")
    func processes() async throws {
        let folder = TemporaryFolder.place("turns")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (path, keyPath) = (folder.appending(path: "store").path, folder.appending(path: "key").path)
        try StoreKey.makeKeyFile(at: keyPath)
        let file = try await SealedFileStore.create(at: path, key: .keyFile(path: keyPath), now: 0)
        let access = AccessToken(SharedSecret(utf8: "a0"), expiry: 1_000)
        try await source(store: file).signedIn(TokenGrant(access: access, refresh: SharedSecret(utf8: "r0")))
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<8 {
                let source = try source(store: await SealedFileStore.open(at: path, key: .keyFile(path: keyPath)))
                group.addTask { try await token(source) }
            }
            for try await token in group { #expect(token == "a1") }
        }
        #expect(world.tokenRequests == 1)
    }

    /// A store that begins a request of its client before its first removal.
    private final class HookedStore: CredentialStore {
        let request = Mutex<(@Sendable () async throws -> AccessToken?)?>(nil)
        let task = Mutex<Task<AccessToken?, any Error>?>(nil)
        private let store: MemoryCredentialStore

        init(_ store: MemoryCredentialStore) { self.store = store }

        func remove(_ name: CredentialName) async throws(CredentialStoreError) -> Bool {
            if let request = request.withLock({ $0.take() }) {
                task.withLock { $0 = Task { try await request() } }
                // Enough for a request that does not wait.
                for _ in 0..<100 { await Task.yield() }
            }
            return try await store.remove(name)
        }

        func save(_ credential: StoredCredential) async throws(CredentialStoreError) {
            try await store.save(credential)
        }
        func credentials(for query: CredentialQuery, at now: Int64) async throws(CredentialStoreError)
            -> [StoredCredential]
        { try await store.credentials(for: query, at: now) }
        func list() async throws(CredentialStoreError) -> [CredentialListing] { try await store.list() }
        func removeAll() async throws(CredentialStoreError) -> Int { try await store.removeAll() }
    }

    private final class Count: Sendable { let value = Mutex(0) }
}
