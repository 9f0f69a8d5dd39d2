import HTTPAuthentication
import Hostnames
import LiveServers
import MatrixClients
import OAuth
import Sallyport
import SallyportClient
import Testing
import TokenProofs

/// Tokens that are bound to a key (RFC 9449), for each client, at a service and a resource that check the proofs with joserfc.
@Suite(.inTurn, .serialized, .needs(.joserfc)) struct BoundTokenTests {
    @Test(
        "Each send has a proof: with the server's nonces, after a redirect, and with the next token",
        arguments: MatrixClient.allCases
    )
    func proven(client: MatrixClient) async throws {
        let machineKey = ES256Key()
        let server = try ProvenServer(key: machineKey.publicKey)
        let origin = try Origin(parsing: server.url)
        let service = try TokenService.patient(tls: nil)
        let source = OAuthTokenSource(
            "machine",
            client: OAuthClient(id: "machine", tokenEndpoint: try ServiceURL(server.url + "/token")),
            grant: .clientCredentials,
            requiresTLS: false,
            keys: ClientKeys(assertion: .es256(machineKey)),
            keepsKey: true
        ) { try await service.send($0) }
        var place = AccountPlace(name: "machine", sites: [server.url])
        (place.tokens, place.sendsTokenFirst, place.allowsCleartext) = (source, true, true)
        let current = try MatrixProfile.current([], [.basic], at: [origin])
        let authenticator = try Authenticator(current, options: AuthenticatorOptions(places: [place]))
        try await client.run(current, asking: authenticator) { running in
            // Of all pages but these the server demands a token.
            for target in [
                "/items", "/items?a=b", "/moved", "/control/nonce", "/items", "/control/end-tokens", "/items",
            ] {
                // The client's own field gives way.
                let request = MatrixRequest(origin: origin, target: target, fields: ["DPoP": "own"])
                let reply = try await running.send(request)
                let why = try await running.send(MatrixRequest(origin: origin, target: "/control/last")).text
                #expect(reply.status == 200, "\(target): \(why)")
            }
        }
    }
}
