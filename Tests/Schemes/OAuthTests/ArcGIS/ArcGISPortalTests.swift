import Secrets
import Testing

@testable import OAuth

/// Bodies have the form of Esri's REST pages "Generate Token" and "Server Info".
@Suite struct ArcGISPortalTests {
    private let portal: ArcGISPortal

    init() throws { portal = ArcGISPortal(root: try ServiceURL("https://portal.acme.example/portal/sharing/rest")) }

    @Test("generateToken sends user, password, referer and minutes in the body") func generateToken() throws {
        let request = portal.generateToken(
            user: "jdoe",
            password: SharedSecret(utf8: "p&w"),
            for: .referer("https://app.acme.example"),
            minutes: 30
        )
        #expect("\(request)" == "POST https://portal.acme.example/portal/sharing/rest/generateToken")
        #expect(
            form(request) == [
                "username=jdoe", "password=p%26w", "client=referer", "referer=https%3A%2F%2Fapp.acme.example",
                "expiration=30", "f=json",
            ]
        )
        let here = portal.generateToken(user: "jdoe", password: SharedSecret(utf8: "p"), for: .requestAddress)
        #expect(form(here).contains("client=requestip"))
    }

    @Test("A token with its end in milliseconds, and whether it needs TLS", arguments: [true, false])
    func token(ssl: Bool) throws {
        let token = try portal.token(
            from: response(200, #"{"token":"Rn_3.","expires":1582930261424,"ssl":\#(ssl)}"#),
            at: 1_582_900_000
        )
        #expect(secretText(token.secret) == "Rn_3." && token.expiry == 1_582_930_261 && token.requiresTLS == ssl)
    }

    @Test("A token of a server that names no end") func withoutEnd() throws {
        for body in [#"{"token":"a"}"#, #"{"token":"a","expires":null}"#, #"{"token":"a","expires":""}"#] {
            #expect(try portal.token(from: response(200, body), at: 0).expiry == nil)
        }
        #expect(throws: TokenServiceError.self) {
            try portal.token(from: response(200, #"{"token":"a","expires":-1}"#), at: 0)
        }
    }

    @Test("The older form of an error, in which the object itself is the error") func oldProblem() throws {
        let body = #"{"status":"error","messages":["Invalid token.","Sign in."],"code":498}"#
        let found = ArcGISProblem(inBody: Array(body.utf8).span)
        let problem = try #require(found)
        #expect(problem.code == 498 && problem.wantsNewToken && problem.text == "Invalid token.; Sign in.")
        #expect(throws: TokenServiceError.self) { try portal.token(from: response(200, body), at: 0) }
        let success = ArcGISProblem(inBody: Array(#"{"status":"success","code":498}"#.utf8).span)
        #expect(success == nil)
    }

    @Test("Without the word about TLS a token needs it") func withoutWord() throws {
        #expect(try portal.token(from: response(200, #"{"token":"a","expires":2000}"#), at: 0).requiresTLS)
    }

    @Test("An error inside a success is an error") func problem() throws {
        let body =
            #"{"error":{"code":400,"message":"Unable to generate token.","details":["Invalid username or password."]}}"#
        let refusal = OAuthRefusal(
            code: .init(rawValue: "400"),
            text: "Unable to generate token.; Invalid username or password."
        )
        #expect(throws: TokenServiceError.refused(refusal)) { try portal.token(from: response(200, body), at: 0) }
    }

    @Test(
        "498 and 499 in a body want a token, other errors do not",
        arguments: [(498, true), (499, true), (403, false)]
    )
    func wantsToken(code: Int, wants: Bool) throws {
        let body = Array(#"{"error":{"code":\#(code),"message":"Invalid token.","details":[]}}"#.utf8)
        let found = ArcGISProblem(inBody: body.span)
        let problem = try #require(found)
        #expect(problem.code == code && problem.text == "Invalid token." && problem.wantsNewToken == wants)
    }

    @Test(
        "A body that is no error is none",
        arguments: [
            "", "[]", "{}", #"{"error":"x"}"#, #"{"error":{"message":"x"}}"#, #"{"features":[{"error":{"code":498}}]}"#,
            "<html>",
        ]
    )
    func noProblem(body: String) {
        let problem = ArcGISProblem(inBody: Array(body.utf8).span)
        #expect(problem == nil)
    }

    @Test("A federated server names its portal") func federation() throws {
        let server = try ServiceURL("https://gis.acme.example/server/rest/")
        #expect(ArcGISPortal.information(of: server).url.target == "/server/rest/info?f=json")
        let information = try ArcGISServerInformation(
            response(
                200,
                """
                {"currentVersion":11.1,"owningSystemUrl":"https://portal.acme.example/portal","authInfo":
                {"isTokenBasedSecurity":true,"tokenServicesUrl":"https://portal.acme.example/portal/sharing/rest/generateToken"}}
                """
            )
        )
        #expect(information.portal == (try ServiceURL("https://portal.acme.example/portal")))
        #expect(information.tokenService?.target == "/portal/sharing/rest/generateToken")
        let token = AccessToken(SharedSecret(utf8: "portal-token"))
        #expect(
            form(portal.serverToken(for: server, by: token)) == [
                "token=portal-token", "serverURL=https%3A%2F%2Fgis.acme.example%2Fserver%2Frest%2F", "request=getToken",
                "expiration=60", "f=json",
            ]
        )
    }

    @Test("OAuth at a portal") func oauth() {
        #expect("\(portal.oauthClient(id: "app").tokenEndpoint)".hasSuffix("/portal/sharing/rest/oauth2/token"))
        #expect(portal.authorizationEndpoint.target == "/portal/sharing/rest/oauth2/authorize")
        #expect(portal.revocationEndpoint.target == "/portal/sharing/rest/oauth2/revokeToken")
    }

    /// Examples have the form of Esri's page "Token".
    @Test("The grant of a portal has no type, and says whether it needs TLS", arguments: [true, false])
    func grant(ssl: Bool) throws {
        let body =
            #"{"access_token":"2Yot","expires_in":1800,"username":"jsmith","ssl":\#(ssl),"refresh_token":"GysT"}"#
        let client = portal.oauthClient(id: "app")
        let grant = try client.grant(from: response(200, body), at: 1_000)
        #expect(secretText(grant.access.secret) == "2Yot" && grant.access.expiry == 2_800)
        #expect(grant.access.kind == .bearer && grant.access.requiresTLS == ssl)
        #expect(secretText(grant.refresh) == "GysT")
        // A service of RFC 6749 must name the type.
        #expect(throws: TokenServiceError.missing("token_type")) {
            try OAuthClient.make().grant(from: response(200, body), at: 1_000)
        }
    }

    @Test("A type that is not known is not used at a portal either") func otherType() throws {
        let body = #"{"access_token":"2Yot","token_type":"mac"}"#
        #expect(throws: TokenServiceError.self) {
            try portal.oauthClient(id: "app").grant(from: response(200, body), at: 0)
        }
    }

    @Test(
        "A portal's OAuth errors are objects in a success",
        arguments: [
            (400, "invalid_request", OAuthRefusal.Code.invalidRequest), (498, "invalid_request", .invalidGrant),
            (400, "invalid_client", .invalidClient),
        ]
    )
    func oauthProblem(code: Int, word: String, expected: OAuthRefusal.Code) throws {
        let body =
            #"{"error":{"code":\#(code),"error":"\#(word)","error_description":"x","message":"words","details":[]}}"#
        #expect(throws: TokenServiceError.refused(OAuthRefusal(code: expected, text: "words"))) {
            try portal.oauthClient(id: "app").grant(from: response(200, body), at: 0)
        }
    }

    @Test("A revocation names its token 'auth_token', and its success must say so") func revocation() throws {
        let client = portal.oauthClient(id: "app")
        let token = SharedSecret(utf8: "r1")
        #expect(
            form(client.revocation(token, isRefresh: true, at: portal.revocationEndpoint)) == [
                "auth_token=r1", "token_type_hint=refresh_token", "client_id=app",
            ]
        )
        try client.checkRevocation(response(200, #"{"success":true}"#))
        #expect(throws: TokenServiceError.missing("success")) {
            try client.checkRevocation(response(200, #"{"success":false}"#))
        }
        #expect(throws: TokenServiceError.self) {
            try client.checkRevocation(response(200, #"{"error":{"code":400,"message":"x"}}"#))
        }
    }

    @Test(
        "The root of a token service is its folder",
        arguments: [
            ("https://gis.acme.example/arcgis/tokens/generateToken", "/arcgis/tokens/generateToken"),
            ("https://gis.acme.example/generateToken", "/generateToken"),
        ]
    )
    func tokenService(url: String, target: String) throws {
        let service = ArcGISPortal(tokenService: try ServiceURL(url))
        let request = service.generateToken(user: "u", password: SharedSecret(utf8: "p"), for: .address("192.0.2.1"))
        #expect(request.url.target == target)
        #expect(form(request).contains("client=ip") && form(request).contains("ip=192.0.2.1"))
    }

    @Test("What a portal says of a token") func information() throws {
        let body = #"{"id":"0123","user":{"username":"jdoe"},"appInfo":{"appId":"worker"}}"#
        let found = try ArcGISTokenInformation(response(200, body))
        #expect(found.user == "jdoe" && found.application == "worker")
        #expect(throws: TokenServiceError.self) {
            try ArcGISTokenInformation(response(200, #"{"error":{"code":498,"message":"Invalid token."}}"#))
        }
    }

    @Test(
        "A server is served by the portal that it names",
        arguments: [
            ("https://portal.acme.example/portal", true), ("https://portal.acme.example/portal/", true),
            ("https://portal.acme.example/other", false), ("https://evil.example/portal", false),
        ]
    )
    func served(named: String, isServed: Bool) throws {
        let found = try ArcGISServerInformation(response(200, #"{"owningSystemUrl":"\#(named)"}"#))
        #expect(found.isServed(by: portal) == isServed)
    }
}
