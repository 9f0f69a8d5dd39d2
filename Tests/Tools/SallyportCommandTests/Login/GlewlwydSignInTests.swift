import Foundation
import LiveServers
import TestSupport
import Testing

/// Sign-ins at Glewlwyd, a whole OpenID Connect service of others. What is expected comes from the service: its introspection, and the claims
/// of the access tokens that it signs.
@Suite(.inTurn, .serialized, .needs(.glewlwyd, .joserfc)) struct GlewlwydSignInTests {
    private static let shared = Result { try Glewlwyd() }
    private let server: Glewlwyd
    private let files: RequestFolder

    init() throws {
        server = try Self.shared.get()
        files = try RequestFolder()
        try files.write("s3cret", "secret")
    }

    private var options: [String] { ["--profile", files.path("profile.yaml")] + files.key }

    /// Writes a profile with one account, `account`.
    ///
    /// - Parameter oauth: its members besides the issuer.
    private func profile(_ service: Glewlwyd.Service, _ oauth: String) throws {
        try files.write(
            """
            version: 1
            sites: ["\(server.url(service))"]
            schemes: [bearer]
            accounts:
              - name: account
                sites: ["\(server.url(service))/userinfo"]
                cleartext: true
                oauth: { issuer: "\(server.url(service))", \(oauth) }
            """,
            "profile.yaml"
        )
    }

    /// The members of a client with a secret whose user has a browser.
    private var portal: String {
        #"client: portal, secret: { file: secret }, scope: openid read, redirect: "\#(server.redirect)""#
    }

    private func run(_ arguments: String...) async throws -> SallyportRun { try await files.live(arguments + options) }

    private func get(_ service: Glewlwyd.Service) async throws -> SallyportRun {
        try await run("get", "\(server.url(service))/userinfo")
    }

    /// The members of `token show`, among them the token.
    private func shown() async throws -> (token: String, members: [String: Any]) {
        let show = try await run("token", "show", "account", "--reveal", "--json")
        let members = try show.json()
        return (try #require(members["secret"] as? String, "\(show.error)"), members)
    }

    /// Signs in with a browser; returns what is said at the end.
    private func signIn() throws -> String {
        let login = try RunningLogin(["account"] + options, files)
        _ = try login.line()
        let page = try server.browse(try login.line())
        #expect(page.hasPrefix("200 \(server.redirect)?"), "\(page)")
        let said = try login.line()
        let (status, errors) = (login.end(), try login.errorText)
        #expect(status == 0, "\(errors)")
        return said
    }

    @Test("A person with a browser: the token is jdoe's, is renewed once it is refused, and ends with the sign-out")
    func browser() async throws {
        try profile(.plain, portal)
        let said = try signIn()
        #expect(said.contains(", scope openid read, renewed by a refresh token"), "\(said)")
        let first = try await shown().token
        let claims = try server.claims(of: first, at: .plain)
        #expect(claims["iss"] as? String == server.url(.plain) && claims["client_id"] as? String == "portal")
        let known = try server.introspection(of: first, at: .plain)
        #expect(known["active"] as? Bool == true && known["username"] as? String == "jdoe", "\(known)")
        #expect(known["scope"] as? String == "openid read")
        let page = try await get(.plain)
        #expect(page.status == 0, "\(page.error)")
        #expect(try page.json()["sub"] as? String == known["sub"] as? String)

        try server.revoke(first, at: .plain)
        let renewed = try await get(.plain)
        #expect(renewed.status == 0, "\(renewed.error)")
        let second = try await shown().token
        #expect(second != first)
        #expect(try server.introspection(of: second, at: .plain)["active"] as? Bool == true)
        // The service takes each refresh token once, so the store has the newer one.
        try server.revoke(second, at: .plain)
        #expect(try await get(.plain).status == 0)
        let third = try await shown().token

        let out = try await run("logout", "account")
        #expect(out.status == 0 && out.output.hasSuffix("and the service has taken them back\n"), "\(out.error)")
        #expect(try server.introspection(of: third, at: .plain)["active"] as? Bool == false)
        #expect(!files.written.contains("s3cret"))
    }

    @Test("A device without a secret; the service takes tokens back from clients with a proof alone") func device()
        async throws
    {
        try profile(.plain, "client: public, scope: read")
        let login = try RunningLogin(["account", "--device", "--json"] + options, files)
        let shown = try JSONSerialization.jsonObject(with: Data(try login.line().utf8)) as? [String: Any]
        #expect(try server.type(try #require(shown?["code"] as? String)) == "302 deviceComplete")
        _ = try login.line()
        let (status, errors) = (login.end(), try login.errorText)
        #expect(status == 0, "\(errors)")
        let claims = try server.claims(of: try await self.shown().token, at: .plain)
        #expect(claims["client_id"] as? String == "public" && claims["scope"] as? String == "read", "\(claims)")
        #expect(try await get(.plain).status == 0)
        let out = try await run("logout", "account")
        #expect(out.status == 1 && out.output == "'account': the store has no tokens any more\n", "\(out.output)")
        #expect(out.error.contains("status 401 without a reason: check the client's identifier and its proof"))
    }

    @Test("An application with a key, whose assertions are for the endpoint that they go to") func machine()
        async throws
    {
        let key = try server.key()
        let client = "client: machine, grant: client-credentials, scope: read"
        try profile(.plain, #"\#(client), key: { file: "\#(key)", id: m1 }"#)
        // Glewlwyd takes the name of the issuer for another service.
        let issuer = try await run("login", "account")
        #expect(issuer.error.contains("status 403 without a reason: check the client's identifier and its proof"))
        try profile(.plain, #"\#(client), key: { file: "\#(key)", id: m1, audience: endpoint }"#)
        let login = try await run("login", "account")
        #expect(login.status == 0 && login.output.contains(", renewed by the client's key"), "\(login.error)")
        let claims = try server.claims(of: try await shown().token, at: .plain)
        #expect(claims["sub"] as? String == "machine" && claims["scope"] as? String == "read", "\(claims)")
    }

    @Test(
        "Tokens that are bound to a key, after a pushed authorization, and with the nonces of service and resource",
        arguments: [Glewlwyd.Service.pushed, .nonces]
    )
    func bound(service: Glewlwyd.Service) async throws {
        try profile(service, portal + ", dpop: true")
        let said = try signIn()
        #expect(said.contains(", bound to a key, scope openid read, renewed by a refresh token"), "\(said)")
        let (token, members) = try await shown()
        let binding = try server.claims(of: token, at: service)["cnf"] as? [String: String]
        #expect(binding?["jkt"] != nil && binding?["jkt"] == members["thumbprint"] as? String, "\(members)")
        let page = try await get(service)
        #expect(page.status == 0, "\(page.error)")
        let known = try server.introspection(of: token, at: service)
        #expect(try page.json()["sub"] as? String == known["sub"] as? String)

        try server.revoke(token, at: service)
        let renewed = try await get(service)
        #expect(renewed.status == 0, "\(renewed.error)")
        let next = try await shown().token
        #expect(try server.claims(of: next, at: service)["cnf"] as? [String: String] == binding)
        let out = try await run("logout", "account")
        #expect(out.output.hasSuffix("and the service has taken them back\n"), "\(out.error)")
        #expect(try server.introspection(of: next, at: service)["active"] as? Bool == false)
    }
}
