import CredentialSources
import CredentialStores
import Credentials
import Foundation
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

/// The rows of the table of ArcGIS's capabilities about the whole: one component for all kinds of challenges, its stores and its parts.
@Suite(.inTurn) struct ArcGISComponentTests {
    private let origin: Origin

    init() throws { origin = try Origin(parsing: "https://wiki.acme.example") }

    private static func current(identities: [ClientIdentity] = []) throws -> CurrentHandler {
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "*.acme.example", name: "test"),
            schemes: [.basic],
            identities: identities.map { .init($0, sites: ["*.acme.example"]) }
        )
        return CurrentHandler(ChallengeHandler(try CompiledProfile(profile, at: 0), clock: nil))
    }

    @Test(
        "Rows 39 and 41: one object brings tokens, and asks for log-ons, certificates and keys of servers",
        .row(39, 41)
    )
    func component() async throws {
        let authority = try TestAuthority("Acme")
        let identities = try ["laptop", "card"].map { name in
            ClientIdentity(name: name, certificateChain: [try authority.client(name, .p256).der])
        }
        let asked = Mutex<[String]>([])
        @Sendable func note(_ question: String) { asked.withLock { $0.append(question) } }
        var api = AccountPlace(name: "api", sites: ["https://api.acme.example"])
        api.tokens = FixedTokenSource(AccessToken(SharedSecret(utf8: "t0ken")))
        let authenticator = try Authenticator(
            Self.current(identities: identities),
            prompt: ScriptedSource { _ in
                note("log-on")
                return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "right")))
            },
            serverTrust: { _ in
                note("server")
                return .trust(until: .max)
            },
            identityChoice: { question in
                note("certificate")
                return .use(identity: question.candidates[0].identity.name)
            },
            options: AuthenticatorOptions(places: [api])
        )
        func advice(_ challenge: String, from origin: Origin) async throws -> AuthenticatorAdvice {
            try await authenticator.advice(
                after: .withheld(.noCredential, by: .origin),
                of: OutgoingRequest(origin: origin),
                fields: [.wwwAuthenticate: challenge],
                with: authenticator.current.handler,
                repetitions: 0
            )
        }
        let tokens = try Origin(parsing: "https://api.acme.example")
        #expect(try await advice("Bearer", from: tokens) == .repeatRequest)
        #expect(asked.withLock { $0.isEmpty })
        #expect(try await advice(#"Basic realm="wiki""#, from: origin) == .repeatRequest)
        let candidates = try identities.map { try IdentityCandidate($0) }
        let choice = IdentityQuestion(origin: origin, candidates: candidates, request: .unknown)
        #expect(try await authenticator.advice(on: choice) == .repeatRequest)
        let leaf = try authority.leaf("wiki.acme.example").der
        let server = try #require(UntrustedServer(origin: origin, reason: "self-signed", chain: [leaf]))
        #expect(try await authenticator.advice(on: server) == .repeatRequest)
        #expect(asked.withLock { $0 } == ["log-on", "certificate", "server"])
        #expect(authenticator.accounts.count == 2)
        guard case .present(let identity) = authenticator.current.handler.identity(for: origin, authorities: []) else {
            Issue.record("the reply does not count")
            return
        }
        #expect(identity.name == "laptop")
    }

    /// A run of a program whose user signs in.
    private func source(_ world: TokenWorld, _ store: any CredentialStore) throws -> OAuthTokenSource {
        let service = OAuthService(
            client: OAuthClient(id: "app", tokenEndpoint: try ServiceURL("https://login.acme.example/token"))
        )
        return OAuthTokenSource(
            "tracker",
            issuer: try ServiceURL("https://login.acme.example"),
            grant: .refreshToken,
            wish: OAuthClient.Wish(),
            requiresTLS: true,
            store: store,
            service: { service },
            clock: { world.state.withLock { $0.now } },
            send: { try await world.answer($0) }
        )
    }

    private func token(_ source: OAuthTokenSource) async throws -> String? {
        try await source.token(for: TokenQuestion(origin: origin)).map { TokenWorld.text($0.secret) }
    }

    /// Its access token lasts longer than the test.
    private static let grant = TokenGrant(
        access: AccessToken(SharedSecret(utf8: "a0"), expiry: 5_000),
        refresh: SharedSecret(utf8: "r0")
    )

    @Test(
        "Row 43: while the refresh token of a sign-in cannot be stored, the store has nothing and no token is given",
        .row(43)
    )
    func allOrNothing() async throws {
        let (world, store) = (TokenWorld(refresh: "r0"), PartlyBrokenStore(.refreshToken))
        let source = try source(world, store)
        await #expect(throws: PartlyBrokenStore.failure) { try await source.signedIn(Self.grant) }
        #expect(try await store.list().isEmpty)
        await #expect(throws: PartlyBrokenStore.failure) { try await token(source) }
        #expect(try await store.list().isEmpty && world.tokenRequests == 0)
        // Once the store saves again, the refresh token is stored first.
        store.mend()
        #expect(try await token(source) == "a1")
        #expect(try await Set(store.list().map(\.name.kind)) == [.refreshToken, .accessToken])
    }

    @Test("Row 43: an access token that cannot be stored serves this run, and the next run gets another one")
    func accessTokenAnew() async throws {
        let (world, store) = (TokenWorld(refresh: "r0"), PartlyBrokenStore(.accessToken))
        let first = try source(world, store)
        // The refresh token is kept, and the sign-in says what is not.
        await #expect(throws: PartlyBrokenStore.failure) { try await first.signedIn(Self.grant) }
        #expect(try await store.list().map(\.name.kind) == [.refreshToken])
        #expect(try await token(first) == "a0")
        #expect(world.tokenRequests == 0)
        #expect(try await token(source(world, store)) == "a1")
        #expect(world.tokenRequests == 1)
    }

    @Test("Row 46: without an authenticator the handler decides, and the application brings the tokens", .row(46))
    func parts()
        throws
    {
        let account = Account(name: "api", user: "api", domain: nil, credential: .token(SharedSecret(utf8: "t0ken")))
        let sites = try SiteList(parsing: "*.acme.example", name: "test")
        let assignment = AccountAssignment(account, sites: ["*.acme.example"], schemes: [.bearer])
        let handler = try ChallengeHandler(
            profile: SecurityProfile(sites: sites, schemes: [.bearer], accounts: [assignment]),
            at: 0
        )
        var request = handler.authentication(of: OutgoingRequest(origin: origin))
        var sent: [String?] = []
        var step = request.begin()
        for status in [401, 200] {
            guard case .send(let sending) = step else { break }
            sent.append(sending.authorization?.value)
            step = request.received(status: status, fields: [.wwwAuthenticate: "Bearer"])
        }
        #expect(sent == [nil, "Bearer t0ken"])
        guard case .deliver(.accepted) = step else {
            Issue.record("\(step)")
            return
        }
    }

    @Test(
        "Row 65: a certificate that cannot be read is an error with its reason, and requests go on without one",
        .row(65)
    )
    func unreadable() async throws {
        struct Unreadable: Error, Equatable { let file: String }
        let authenticator = try Authenticator(
            Self.current(),
            identities: { throw Unreadable(file: "laptop.p12") }
        )
        await #expect(throws: Unreadable(file: "laptop.p12")) { try await authenticator.fetchNewCertificates() }
        #expect(
            authenticator.current.handler.identity(for: origin, authorities: []) == .withhold(.noCredential)
        )
    }
}

/// A store that cannot save one kind of credential until it is mended.
private final class PartlyBrokenStore: CredentialStore {
    static let failure = CredentialStoreError(place: "test", problem: .tooManyRecords)
    private let broken: Mutex<CredentialKind?>
    private let store = MemoryCredentialStore()

    init(_ kind: CredentialKind) { broken = Mutex(kind) }

    func mend() { broken.withLock { $0 = nil } }

    func save(_ credential: StoredCredential) async throws(CredentialStoreError) {
        guard credential.name.kind != broken.withLock({ $0 }) else { throw Self.failure }
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
