import CredentialStores
import Foundation
import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import SallyportNIO
import Testing

/// The flows of PortingFromArcGIS.md at the servers of `arcgis-portal`.
@Suite(.inTurn, .serialized, .needs(.python))
struct ArcGISFlowTests {
    private let servers: ArcGISServers
    private let portal: ArcGISPortal
    private let current: CurrentHandler
    private let tls: TLSConnector
    private let service: TokenService

    init() throws {
        servers = try ArcGISServers()
        portal = ArcGISPortal(root: try ServiceURL(servers.portal + "/sharing/rest"))
        let origins = try [servers.portal, servers.server].map { "\(try ServiceURL($0).origin)" }
        let sites = try SiteList(parsing: origins.joined(separator: "\n"), name: "arcgis")
        current = CurrentHandler(try ChallengeHandler(profile: SecurityProfile(sites: sites, schemes: [.basic]), at: 0))
        var settings = TLSSettings.patient
        settings.roots = .certificates([try servers.root.own.der])
        tls = try TLSConnector(settings, current)
        service = try TokenService.patient(tls: tls)
    }

    private func text(_ response: ClientResponse) async throws -> String {
        String(buffer: try await response.body.collect(upTo: 100_000))
    }

    /// What a user does in a browser: reads the page, types the password, and is sent to the redirect.
    private func browse(_ url: String) async throws -> String {
        var settings = ClientSettings.patient
        settings.redirects = 0
        let browser = AuthenticatedClient(current, settings: settings, tls: tls)
        defer { browser.shutDown() }
        let page = try await text(try await browser.execute(ClientRequest(url: url)))
        let state = try #require(page.split(separator: #""oauth_state":""#).last?.split(separator: "\"").first)
        let form = "oauth_state=\(state)&username=\(ArcGISServers.user)&password=\(ArcGISServers.password)"
        let request = try ClientRequest(
            url: servers.portal + "/sharing/rest/oauth2/signin",
            method: .POST,
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: .bytes(ByteBuffer(string: form))
        )
        let location = try #require(try await browser.execute(request).headers.first(name: "Location"))
        return try #require(location.split(separator: ":50124").last.map(String.init))
    }

    @Test("A user signs in, and the next start needs no sign-in") func user() async throws {
        let store = MemoryCredentialStore()
        _ = try await ArcGISFlows.signedIn(
            portal,
            redirect: ServiceURL("http://127.0.0.1:50124/callback"),
            store: store,
            service: service,
            browser: browse
        )
        var place = AccountPlace(name: "portal", sites: ["\(portal.root.origin)"])
        place.tokens = ArcGISFlows.user(portal, store: store, service: service)
        place.readsArcGISErrors = true
        let authenticator = try Authenticator(current, options: AuthenticatorOptions(places: [place]))
        let client = AuthenticatedClient(authenticator, tls: tls)
        defer { client.shutDown() }
        let me = try ClientRequest(url: servers.portal + "/sharing/rest/community/self?f=json")
        #expect(try await text(client.execute(me)).contains(#""username": "jdoe""#))
        #expect(await authenticator.signOut().revokedTokens == ["portal"])
        #expect(try await store.list().isEmpty)
    }

    @Test("An application opens the portal, and by its token the federated server") func application() async throws {
        let client = try ArcGISFlows.client(
            portal,
            server: ServiceURL(servers.server + "/rest"),
            secret: SharedSecret(utf8: "s3cret&"),
            service: service,
            current: current,
            tls: tls
        )
        defer { client.shutDown() }
        let item = try ClientRequest(url: servers.portal + "/sharing/rest/content/items/1?f=json")
        #expect(try await text(client.execute(item)).contains(#""owner": "worker""#))
        let map = try ClientRequest(url: servers.server + "/rest/services/Parcels/MapServer?f=json")
        #expect(try await text(client.execute(map)).contains(#""mapName": "Parcels""#))
    }
}
