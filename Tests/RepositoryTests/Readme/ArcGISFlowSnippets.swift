import CredentialStores
import Foundation
import Sallyport
import SallyportClient
import SallyportNIO

// The snippets of PortingFromArcGIS.md, word for word.
enum ArcGISFlows {
    static func signedIn(
        _ portal: ArcGISPortal,
        redirect: ServiceURL,
        store: any CredentialStore,
        service: TokenService,
        browser: (String) async throws -> String
    ) async throws -> OAuthTokenSource {
        let client = portal.oauthClient(id: "mapapp")
        let endpoint = AuthorizationRequest.Service(authorizationEndpoint: portal.authorizationEndpoint)
        let authorization = AuthorizationRequest(client, endpoint, redirect: redirect)
        // Shows the page, and returns path and query of the redirect.
        let code = try authorization.code(in: try await browser(authorization.url))
        let response = try await service.send(authorization.tokenRequest(for: code))
        let tokens = user(portal, store: store, service: service)
        try await tokens.signedIn(client.grant(from: response, at: Int64(Date().timeIntervalSince1970)))
        return tokens
    }

    /// The same user at the next start: the refresh token is in the store.
    static func user(_ portal: ArcGISPortal, store: any CredentialStore, service: TokenService) -> OAuthTokenSource {
        OAuthTokenSource(
            "mapapp",
            client: portal.oauthClient(id: "mapapp"),
            grant: .refreshToken,
            revocationEndpoint: portal.revocationEndpoint,
            store: store
        ) { try await service.send($0) }
    }

    static func client(
        _ portal: ArcGISPortal,
        server: ServiceURL,
        secret: SharedSecret,
        service: TokenService,
        current: CurrentHandler,
        tls: TLSConnector
    ) throws -> AuthenticatedClient {
        let send: OAuthTokenSource.Sender = { try await service.send($0) }
        let worker = portal.oauthClient(id: "worker", authentication: .post(secret))
        let application = OAuthTokenSource("worker", client: worker, grant: .clientCredentials, send: send)
        let federated = ArcGISTokenSource(
            "server",
            portal,
            grant: .federated(server: server, portal: application),
            send: send
        )
        var places: [AccountPlace] = []
        for (site, source) in [
            ("\(portal.root.origin)", application as any TokenSource), ("\(server.origin)", federated),
        ] {
            var place = AccountPlace(name: site, sites: [site])
            (place.tokens, place.readsArcGISErrors) = (source, true)
            places.append(place)
        }
        let authenticator = try Authenticator(current, options: AuthenticatorOptions(places: places))
        return AuthenticatedClient(authenticator, tls: tls)
    }
}
