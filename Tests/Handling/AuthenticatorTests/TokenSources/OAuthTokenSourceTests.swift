import CredentialStores
import Hostnames
import LiveServers
import OAuth
import Sallyport
import Secrets
import Synchronization
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// What a source does with the refresh token.
@Suite(.inTurn) struct OAuthTokenSourceTests {
    let question: TokenQuestion
    let service: CredentialQuery

    init() throws {
        question = TokenQuestion(origin: try Origin(parsing: "https://api.acme.example"))
        service = CredentialQuery(origin: try Origin(parsing: "https://login.acme.example"), kind: .refreshToken)
    }

    private func stored(_ store: any CredentialStore) async throws -> String? {
        try await store.credentials(for: service, at: 0).first.map { TokenWorld.text($0.secret) }
    }

    private func signedIn(_ world: TokenWorld, _ store: any CredentialStore) async throws -> OAuthTokenSource {
        let source = try world.source(.refreshToken, store: store)
        let access = AccessToken(SharedSecret(utf8: "a0"), expiry: 1_000)
        try await source.signedIn(TokenGrant(access: access, refresh: SharedSecret(utf8: "r0")))
        return source
    }

    @Test("The next refresh token is stored before the access token is handed out") func storedFirst() async throws {
        let world = TokenWorld(refresh: "r0")
        let store = BrokenStore()
        let source = try await signedIn(world, store)
        store.isBroken.withLock { $0 = true }
        await #expect(throws: CredentialStoreError.self) { try await source.token(for: question) }
        #expect(try await stored(store) == "r0")
        // The service has spent r0. Its successor is stored as soon as the store works, and used.
        store.isBroken.withLock { $0 = false }
        let token = try #require(try await source.token(for: question))
        #expect(TokenWorld.text(token.secret) == "a2")
        #expect(try await stored(store) == "r2")
    }

    @Test("1,000 ends of the process between request and store lose nothing that the service still takes")
    func killed() async throws {
        let world = TokenWorld(refresh: "r0")
        world.state.withLock { $0.isLenient = true }
        let store = BrokenStore()
        _ = try await signedIn(world, store)
        for number in 0..<1_000 {
            // The response is lost, or the process ends before the store has saved.
            let killed = try world.source(.refreshToken, store: store, losesResponse: number.isMultiple(of: 2))
            store.isBroken.withLock { $0 = true }
            await #expect(throws: (any Error).self) { try await killed.token(for: question) }
            store.isBroken.withLock { $0 = false }
            guard number % 10 == 9 else { continue }
            let next = try world.source(.refreshToken, store: store)
            _ = try #require(try await next.token(for: question))
        }
        let last = try #require(try await world.source(.refreshToken, store: store).token(for: question))
        #expect(world.state.withLock { $0.access[TokenWorld.text(last.secret)] } != nil)
    }

    @Test("A refresh token that the service does not take any more is forgotten, and asked for once") func spent()
        async throws
    {
        let world = TokenWorld()
        let store = MemoryCredentialStore()
        let source = try await signedIn(world, store)
        await #expect(throws: TokenServiceError.self) { try await source.token(for: question) }
        #expect(try await stored(store) == nil)
        await #expect(throws: OAuthTokenError.notSignedIn("tracker")) { try await source.token(for: question) }
        #expect(world.tokenRequests == 1)
    }

    @Test("A refresh token that another process has rotated is read from the store again") func rotatedElsewhere()
        async throws
    {
        let world = TokenWorld(refresh: "r0")
        let store = MemoryCredentialStore()
        let one = try await signedIn(world, store)
        let other = try world.source(.refreshToken, store: store)
        _ = try await one.token(for: question)
        let token = try #require(try await other.token(for: question))
        #expect(TokenWorld.text(token.secret) == "a2")
        #expect(try await stored(store) == "r2")
    }

    @Test("A token in use is the reply, unless it is the one to replace or has ended") func kept() async throws {
        let world = TokenWorld()
        let source = try world.source()
        let first = try #require(try await source.token(for: question))
        #expect(try await source.token(for: question)?.secret === first.secret)
        var next = question
        next.replaced = first.secret
        let second = try #require(try await source.token(for: next))
        #expect(TokenWorld.text(second.secret) == "a2")
        // Late: the first one has been replaced already.
        #expect(try await source.token(for: next)?.secret === second.secret)
        world.passes(3_600)
        #expect(try await source.token(for: question)?.secret !== second.secret)
        #expect(world.tokenRequests == 3)
    }

    @Test("No description shows a token") func descriptions() async throws {
        let world = TokenWorld(refresh: "r0")
        let source = try await signedIn(world, MemoryCredentialStore())
        let token = try #require(try await source.token(for: question))
        var text = "\(token)\(OAuthTokenError.notSignedIn("tracker"))"
        dump(token, to: &text)
        #expect(!text.contains("a1") && !text.contains("r1"))
    }
}

/// A store whose disk is full, while a test says so.
private final class BrokenStore: CredentialStore {
    let isBroken = Mutex(false)
    private let store = MemoryCredentialStore()

    func save(_ credential: StoredCredential) async throws(CredentialStoreError) {
        guard !isBroken.withLock({ $0 }) else { throw CredentialStoreError(place: "test", problem: .tooManyRecords) }
        try await store.save(credential)
    }

    func credentials(for query: CredentialQuery, at now: Int64) async throws(CredentialStoreError) -> [StoredCredential]
    {
        try await store.credentials(for: query, at: now)
    }

    func list() async throws(CredentialStoreError) -> [CredentialListing] { try await store.list() }
    func remove(_ name: CredentialName) async throws(CredentialStoreError) -> Bool { try await store.remove(name) }
    func removeAll() async throws(CredentialStoreError) -> Int { try await store.removeAll() }
}
