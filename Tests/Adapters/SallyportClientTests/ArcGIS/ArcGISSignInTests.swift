import CredentialStores
import Foundation
import LiveServers
import OAuth
import Sallyport
import SallyportClient
import TestSupport
import Testing

/// Sign-ins that last: the refresh token is stored, exchanged and revoked. Rows 42, 44, 45, 56, 61 and 70.
@Suite(.inTurn, .serialized, .needs(.python))
struct ArcGISSignInTests {
    private let world: ArcGISWorld

    init() throws { world = try ArcGISWorld() }

    @Test(
        "Rows 42, 56 and 61: a sign-in with the code, and a start with its refresh token from a sealed store",
        .row(42, 56, 61)
    )
    func persistence() async throws {
        let folder = TemporaryFolder.place("arcgis-store")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }
        try StoreKey.makeKeyFile(at: path("key"))
        let key = StoreKey.keyFile(path: path("key"))
        do {
            let store = try await SealedFileStore.create(at: path("store"), key: key, now: 0)
            try await world.signedIn(store).signedIn(try await world.signIn())
        }
        let store = try await SealedFileStore.open(at: path("store"), key: key)
        let client = try world.client(world.place(world.signedIn(store), world.servers.portal, first: true))
        defer { client.shutDown() }
        #expect(try await world.get(client, world.item).contains(#""owner": "jdoe""#))
        #expect(try await world.control("count/499") == "0")
    }

    @Test("A refresh token is exchanged before it ends, and the old one ends") func exchange() async throws {
        let oauth = world.portal.oauthClient(id: "mapapp")
        let old = try #require(try await world.signIn().refresh)
        let request = world.portal.exchange(old, of: oauth, redirect: "http://127.0.0.1/callback")
        let next = try oauth.grant(from: await world.service.send(request), at: 0)
        #expect(try ArcGISWorld.bytes(#require(next.refresh)) != ArcGISWorld.bytes(old))
        let again = try await world.service.send(oauth.refresh(old))
        #expect(throws: TokenServiceError.self) { try oauth.grant(from: again, at: 0) }
    }

    @Test("Rows 44, 45 and 70: a sign-out revokes, clears, and reports each", .row(44, 45, 70)) func signOut()
        async throws
    {
        let store = MemoryCredentialStore()
        let source = world.signedIn(store)
        let grant = try await world.signIn()
        try await source.signedIn(grant)
        let authenticator = try world.authenticator(world.place(source, world.servers.portal, first: true))
        let client = AuthenticatedClient(authenticator, settings: .patient, tls: world.tls)
        defer { client.shutDown() }
        #expect(try await world.get(client, world.item).contains("Parcels"))
        let report = await authenticator.signOut()
        #expect(report.revokedTokens == [world.servers.portal] && report.failures.isEmpty)
        #expect(try await world.control("count/revoke") == "1")
        #expect(try await store.list().isEmpty)
        // The service has taken the refresh token and its access token back.
        let oauth = world.portal.oauthClient(id: "mapapp")
        let answer = try await world.service.send(oauth.refresh(try #require(grant.refresh)))
        do {
            _ = try oauth.grant(from: answer, at: 0)
            Issue.record("a revoked refresh token was taken")
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            #expect(refusal.code == .invalidGrant)
        }
        let asked = try await world.service.send(world.portal.information(about: grant.access))
        #expect(throws: TokenServiceError.self) { try ArcGISTokenInformation(asked) }
    }

    @Test("Row 44: a sign-out clears the store although no portal answers", .row(44)) func signOutWithoutPortal()
        async throws
    {
        let store = MemoryCredentialStore()
        let source = world.signedIn(store)
        try await source.signedIn(try await world.signIn())
        let authenticator = try world.authenticator(world.place(source, world.servers.portal, first: true))
        world.servers.stop()
        let report = await authenticator.signOut()
        #expect(report.revokedTokens.isEmpty && report.failures.count == 1)
        #expect(try await store.list().isEmpty)
    }
}
