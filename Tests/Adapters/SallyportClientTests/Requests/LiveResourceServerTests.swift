import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import Testing

/// Apache with mod_auth_openidc as a resource server, which asks the service of Authlib about tokens (RFC 7662).
@Suite(.inTurn, .serialized, .needs(.authlib, .apache, .modAuthOpenIDC))
struct LiveResourceServerTests {
    private let service: OAuthServer
    private let apache: ApacheWithTokens
    private let client: AuthenticatedClient

    init() throws {
        service = try OAuthServer()
        apache = try ApacheWithTokens(service)
        let sender = try TokenService.patient(tls: nil)
        let machine = OAuthClient(
            id: "machine",
            authentication: .basic(SharedSecret(utf8: "p%w:s")),
            tokenEndpoint: try ServiceURL(service.url + "/token")
        )
        var place = AccountPlace(name: "machine", sites: [apache.url])
        place.tokens = OAuthTokenSource(
            "machine",
            client: machine,
            grant: .clientCredentials,
            wish: OAuthClient.Wish(scope: "read"),
            requiresTLS: false
        ) { try await sender.send($0) }
        place.allowsCleartext = true
        let sites = try SiteList(parsing: apache.url, name: "apache")
        let profile = SecurityProfile(sites: sites, schemes: [.basic])
        let authenticator = try Authenticator(
            CurrentHandler(ChallengeHandler(profile: profile, at: 0)),
            options: AuthenticatorOptions(places: [place])
        )
        client = AuthenticatedClient(authenticator, settings: .patient)
    }

    private func get(_ url: String) async throws -> (UInt, String) {
        let response = try await client.execute(ClientRequest(url: url), deadline: .now() + .hours(1))
        return (response.status.code, String(buffer: try await response.body.collect(upTo: 10_000)))
    }

    private func control(_ page: String) async throws -> String { try await get(service.url + "/control/" + page).1 }

    @Test("A token opens until the service ends it, and then one other does") func introspected() async throws {
        for _ in 0..<3 { #expect(try await get(apache.url + "/items") == (200, "<p>in</p>\n")) }
        #expect(try await control("grants") == "1")
        #expect(try await control("end-access") == "done")
        for _ in 0..<3 { #expect(try await get(apache.url + "/items").0 == 200) }
        #expect(try await control("grants") == "2")
    }

    @Test("A scope that the token lacks brings one new token, and closes no other page") func scope() async throws {
        #expect(try await get(apache.url + "/items").0 == 200)
        // Apache says 401 and not 403, without a challenge, so it looks like a token that has ended.
        for _ in 0..<5 {
            #expect(try await get(apache.url + "/write").0 == 401)
            #expect(try await get(apache.url + "/items") == (200, "<p>in</p>\n"))
        }
        #expect(try await control("grants") == "2")
    }

    @Test("A scope that a new token lacks closes no other page") func scopeFirst() async throws {
        for _ in 0..<2 {
            #expect(try await get(apache.url + "/write").0 == 401)
            #expect(try await get(apache.url + "/items").0 == 200)
        }
        #expect(try await control("grants") == "1")
    }
}
