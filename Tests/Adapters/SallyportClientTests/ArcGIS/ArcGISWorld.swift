import Foundation
import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import SallyportNIO
import Testing

/// The servers of `arcgis-portal`, and what a test does at them.
struct ArcGISWorld {
    let servers: ArcGISServers
    let portal: ArcGISPortal
    let service: TokenService
    let current: CurrentHandler
    let tls: TLSConnector

    static let password = SharedSecret(utf8: ArcGISServers.password)

    init() throws {
        servers = try ArcGISServers()
        portal = ArcGISPortal(root: try ServiceURL(servers.portal + "/sharing/rest"))
        // Both listen on ports of their own.
        let rules = try [servers.portal, servers.server].map { "\(try ServiceURL($0).origin)" }
        let sites = try SiteList(parsing: rules.joined(separator: "\n"), name: "arcgis")
        current = CurrentHandler(try ChallengeHandler(profile: SecurityProfile(sites: sites, schemes: [.basic]), at: 0))
        tls = try Self.connector(current, servers)
        service = try TokenService.patient(tls: tls)
    }

    private static func connector(_ current: CurrentHandler, _ servers: ArcGISServers) throws -> TLSConnector {
        var settings = TLSSettings.patient
        settings.roots = .certificates([try servers.root.own.der])
        return try TLSConnector(settings, current)
    }

    var sender: OAuthTokenSource.Sender { { [service] in try await service.send($0) } }

    /// Tokens for the user by `generateToken`.
    func user(
        _ client: ArcGISPortal.Client = .requestAddress,
        password: String = ArcGISServers.password,
        minutes: Int = 60
    ) -> ArcGISTokenSource {
        let grant = ArcGISTokenSource.Grant.password(user: ArcGISServers.user, SharedSecret(utf8: password))
        return ArcGISTokenSource("portal", portal, grant: grant, client: client, minutes: minutes, send: sender)
    }

    /// Tokens for the application "worker".
    func application(secret: String = "s3cret&") -> OAuthTokenSource {
        let client = portal.oauthClient(id: "worker", authentication: .post(SharedSecret(utf8: secret)))
        return OAuthTokenSource("worker", client: client, grant: .clientCredentials, send: sender)
    }

    /// Tokens for a user who has signed in, whose refresh token is in the store.
    func signedIn(_ store: any CredentialStore) -> OAuthTokenSource {
        OAuthTokenSource(
            "mapapp",
            client: portal.oauthClient(id: "mapapp"),
            grant: .refreshToken,
            revocationEndpoint: portal.revocationEndpoint,
            store: store,
            send: sender
        )
    }

    func place(_ source: any TokenSource, _ site: String, first: Bool = false, referer: String? = nil) -> AccountPlace {
        var place = AccountPlace(name: site, sites: [site])
        (place.tokens, place.readsArcGISErrors) = (source, true)
        (place.sendsTokenFirst, place.referer) = (first, referer)
        return place
    }

    func authenticator(_ places: AccountPlace...) throws -> Authenticator {
        try Authenticator(current, options: AuthenticatorOptions(places: places))
    }

    func client(_ places: AccountPlace...) throws -> AuthenticatedClient {
        AuthenticatedClient(
            try Authenticator(current, options: AuthenticatorOptions(places: places)),
            settings: .patient,
            tls: tls
        )
    }

    func get(_ client: AuthenticatedClient, _ url: String) async throws -> String { try await Self.get(client, url) }

    static func get(_ client: AuthenticatedClient, _ url: String) async throws -> String {
        let response = try await client.execute(ClientRequest(url: url), deadline: .now() + .hours(1))
        return String(buffer: try await response.body.collect(upTo: 100_000))
    }

    /// A page of the test's own.
    func control(_ page: String) async throws -> String {
        let client = AuthenticatedClient(current, settings: .patient)
        defer { client.shutDown() }
        return try await get(client, servers.control + page)
    }

    var item: String { servers.portal + "/sharing/rest/content/items/1?f=json" }
    var map: String { servers.server + "/rest/services/Parcels/MapServer?f=json" }

    /// The user signs in on the portal's page, and the browser brings the code back.
    func signIn() async throws -> TokenGrant {
        let client = portal.oauthClient(id: "mapapp")
        let redirect = try ServiceURL("http://127.0.0.1:50123/callback")
        let service = AuthorizationRequest.Service(authorizationEndpoint: portal.authorizationEndpoint)
        let authorization = AuthorizationRequest(client, service, redirect: redirect)
        var settings = ClientSettings.patient
        settings.redirects = 0
        let browser = AuthenticatedClient(current, settings: settings, tls: tls)
        defer { browser.shutDown() }
        let page = try await get(browser, authorization.url)
        let state = try #require(page.split(separator: #""oauth_state":""#).last?.split(separator: "\"").first)
        let form = "oauth_state=\(state)&username=\(ArcGISServers.user)&password=\(ArcGISServers.password)"
        let request = try ClientRequest(
            url: servers.portal + "/sharing/rest/oauth2/signin",
            method: .POST,
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: .bytes(ByteBuffer(string: form))
        )
        let location: String
        do {
            let response = try await browser.execute(request, deadline: .now() + .hours(1))
            location = try #require(response.headers.first(name: "Location"))
        }
        let target = try #require(location.split(separator: ":50123").last.map(String.init))
        let response = try await self.service.send(authorization.tokenRequest(for: authorization.code(in: target)))
        return try client.grant(from: response, at: Int64(Date().timeIntervalSince1970))
    }

    static func bytes(_ secret: SharedSecret) -> [UInt8] {
        secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }
}
