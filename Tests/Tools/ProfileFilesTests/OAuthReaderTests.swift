import Foundation
import HTTPAuthentication
import Hostnames
import Sallyport
import Secrets
import TestSupport
import Testing

@testable import ProfileFiles

/// Accounts whose tokens come from OAuth services.
@Suite struct OAuthReaderTests {
    private static let account = """
          - name: tracker
            sites: ["https://api.acme.example"]
            oauth:
              issuer: https://login.acme.example
              client: app
        """

    private func read(_ account: String = Self.account) throws -> ProfileContents {
        let folder = TemporaryFolder.place("profile")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("Correct-Horse\n".utf8).write(to: folder.appending(path: "secret"))
        let file = folder.appending(path: "profile.yaml")
        let yaml = """
            version: 1
            sites: ["*.acme.example"]
            schemes: [digest]
            accounts:
              - name: jdoe
                user: jdoe
                password: { file: secret }
                sites: ["*.acme.example"]
            \(account)
            """
        try Data(yaml.utf8).write(to: file)
        return try ProfileReader.contents(file, at: 0)
    }

    private static func oauth(_ contents: ProfileContents) -> OAuthAccount? {
        guard case .oauth(let account)? = contents.tokenAccounts.first else { return nil }
        return account
    }

    private func error(_ account: String) throws -> ProfileFileError {
        try #require(throws: ProfileFileError.self) { try read(account) }
    }

    @Test("An account with little, and one with everything") func accounts() throws {
        let contents = try read()
        #expect(contents.compiled.profile.accounts.map(\.account.name) == ["jdoe"])
        let little = try #require(Self.oauth(contents))
        #expect(little.name == "tracker" && little.client == "app" && little.grant == .code && little.redirect == nil)
        #expect("\(try #require(little.issuer))" == "https://login.acme.example/")
        #expect(!little.allowsCleartext && little.sites == ["https://api.acme.example"])
        let much = try #require(
            Self.oauth(
                read(
                    Self.account + """

                              secret: { file: secret }
                              secret-in-body: true
                              grant: code
                              scope: read write
                              resources: ["https://api.acme.example/v1"]
                              redirect: http://127.0.0.1:8400/done
                              signed-in-seconds: 28800
                            cleartext: true
                        """
                )
            )
        )
        guard case .secret(.place(.value(let secret)), inBody: true) = much.proof else {
            Issue.record("\(much.proof)")
            return
        }
        #expect(secret.count == 13 && much.wish.scope == "read write" && much.redirect == "http://127.0.0.1:8400/done")
        #expect(much.wish.resources.map(\.description) == ["https://api.acme.example/v1"] && much.allowsCleartext)
        #expect(much.signedInSeconds == 28_800 && little.signedInSeconds == nil)
    }

    @Test("The proofs of a client: a key, a certificate, and the secret of a portal in the body") func proofs() throws {
        func read(_ old: String, _ new: String) throws -> OAuthAccount {
            try #require(Self.oauth(self.read(Self.account.replacing(old, with: new))))
        }
        let named =
            "client: app\n      key: { file: secret, passphrase: { file: secret }, id: k1, algorithm: PS256, audience: \"https://login.acme.example/token\" }"
        for (text, id) in [("client: app\n      key: secret", nil), (named, "k1")] {
            guard case .key(let key) = try read("client: app", text).proof else {
                Issue.record("\(text)")
                continue
            }
            #expect(key.path.hasSuffix("/secret") && key.id == id)
            #expect(key.audience == id.map { _ in .named("https://login.acme.example/token") })
            #expect(key.algorithm == id.map { _ in "PS256" } && (key.passphrase?.count ?? 0 > 0) == (id != nil))
        }
        let machine = "client: app\n      certificate: true\n      grant: client-credentials"
        guard case .certificate = try read("client: app", machine).proof else {
            Issue.record("no certificate")
            return
        }
        let portal = "portal: https://login.acme.example/sharing/rest\n      secret: { file: secret }"
        let app = try read("issuer: https://login.acme.example", portal)
        #expect(app.dialect == .arcGIS && app.issuer?.path == "/sharing/rest")
        guard case .secret(_, inBody: true) = app.proof else {
            Issue.record("\(app.proof)")
            return
        }
    }

    @Test("An account for an identity-aware proxy: the field of its tokens, the audience, and the ID token")
    func identity() throws {
        let more =
            "\n      scope: openid email\n      audience: iap-client\n      id-token: true\n    field: Proxy-Authorization"
        let contents = try read(Self.account + more)
        guard case .oauth(let account)? = contents.tokenAccounts.first else {
            Issue.record("no account")
            return
        }
        #expect(account.placement == TokenPlacement(.field("Proxy-Authorization")))
        #expect(account.wish.wantsIDToken && account.wish.audience == "iap-client")
        // Beside the account that answers there.
        let (api, wiki) = (
            try Origin(parsing: "https://api.acme.example"), try Origin(parsing: "https://wiki.acme.example")
        )
        #expect(contents.placedTokenAccount(for: api, path: "/")?.name == "tracker")
        #expect(contents.tokenAccount(for: api, path: "/") == nil, "it answers nothing")
        #expect(contents.placedTokenAccount(for: wiki, path: "/") == nil)
        let error = try error(Self.account + more.replacing("openid ", with: ""))
        #expect(
            error.field == "accounts[1].oauth.id-token" && error.problem.contains("add openid to 'scope'"),
            "\(error)"
        )
    }

    @Test("The most specific account decides for a URL") func urls() throws {
        let contents = try read()
        let name = { (url: String) in
            contents.tokenAccount(for: try Origin(parsing: url), path: "/x")?.name
        }
        #expect(try name("https://api.acme.example") == "tracker")
        #expect(try name("https://wiki.acme.example") == nil && name("https://api.other.example") == nil)
    }

    @Test(
        "What is wrong is named with its field",
        arguments: [
            ("issuer: https://login", "issuer: http://login", "oauth.issuer", "needs https"),
            ("client: app", "clint: app", "oauth.clint", "unknown field"),
            ("client: app", "scope: read", "oauth", "'client' is missing"),
            ("client: app", "client: app\n      grant: password", "oauth.grant", "expected code, device"),
            ("client: app", "client: app\n      grant: client-credentials", "oauth", "needs a secret"),
            ("client: app", "client: app\n      secret: { store: false }", "oauth.secret.store", "write true"),
            ("client: app", "client: app\n      secret: SECRET", "oauth.secret", "expected fields"),
            ("client: app", "client: app\n      secret: { SECRET: 1 }", "oauth.secret", "unknown field"),
            ("client: app", "client: app\n      secret-in-body: true", "oauth.secret-in-body", "no effect"),
            ("client: app", "client: app\n      redirect: https://a.example/", "oauth.redirect", "127.0.0.1"),
            (
                "client: app", "client: app\n      grant: device\n      redirect: http://127.0.0.1/",
                "oauth.redirect", "grant code"
            ),
            ("issuer: https://login.acme.example\n", "scope: read\n", "oauth", "'issuer' is missing"),
            (
                "issuer: https://login.acme.example\n",
                "resources: [\"https://api.acme.example\"]\n      secret: { store: true }\n", "oauth.secret",
                "add 'issuer'"
            ),
            ("client: app", "client: app\n      key: missing.pem", "oauth.key", "cannot be read"),
            (
                "client: app", "client: app\n      key: { file: secret, algorithm: HS256 }", "oauth.key.algorithm",
                "expected RS256 or PS256"
            ),
            ("client: app", "client: app\n      certificate: false", "oauth.certificate", "write true"),
            (
                "client: app", "client: app\n      certificate: true\n      secret: { store: true }",
                "oauth.certificate",
                "one proof"
            ),
            ("client: app", "client: app\n      signed-in-seconds: 59", "oauth.signed-in-seconds", "expected 60 to"),
            (
                "client: app",
                "client: app\n      certificate: true\n      grant: client-credentials\n      signed-in-seconds: 60",
                "oauth.signed-in-seconds", "no person signs in"
            ),
            ("client: app", "client: app\n      portal: https://gis.example/rest", "oauth.portal", "remove 'issuer'"),
            (
                "issuer: https://login.acme.example", "portal: https://gis.example\n      grant: device", "oauth.grant",
                "portal"
            ),
            ("client: app", "client: app\n      dpop: yes please", "oauth.dpop", "true or false"),
            (
                "client: app", "client: app\n      dpop: true\n      id-token: true\n      scope: openid", "oauth.dpop",
                "remove 'dpop' or 'id-token'"
            ),
            (
                "issuer: https://login.acme.example", "portal: https://gis.example\n      dpop: true", "oauth.dpop",
                "a portal"
            ),
            ("oauth:", "field: X-API-Key\n    oauth:\n      dpop: true", "field", "Authorization alone"),
            ("[\"https://api.acme.example\"]", "[\"*.acme.example\"]", "", "belongs to"),
            ("name: tracker", "name: jdoe", "", "jdoe"),
            ("oauth:", "password: { file: secret }\n    oauth:", "password", "unknown field"),
        ]
    )
    func errors(old: String, new: String, field: String, text: String) throws {
        // The arguments of a test are in its log, so that the secret comes later.
        let changed = new.replacing("SECRET", with: "Correct-Horse")
        let error = try error(Self.account.replacing(old, with: changed))
        #expect("\(error)".contains("accounts[1]\(field.isEmpty ? "" : ".\(field)"): "), "\(error)")
        #expect(error.problem.contains(text) && !"\(error)".contains("Correct-Horse"), "\(error)")
    }
}
