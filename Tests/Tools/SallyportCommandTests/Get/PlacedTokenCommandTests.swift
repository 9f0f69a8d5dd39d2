import Crypto
import Foundation
import HTTPAuthentication
import Hostnames
import LiveServers
import SwiftASN1
import TestSupport
import Testing
import X509

/// Keys and ID tokens of a profile that go with each request: at an interface that reads keys, behind Apache with NTLM, and at an identity-aware
/// proxy that checks signature and audience with joserfc.
@Suite(.inTurn, .serialized, .needs(.joserfc)) struct PlacedTokenCommandTests {
    private static let key = "k3y/of+maps"
    private static let shared = Result { try IdentityProxy() }
    private let proxy: IdentityProxy
    private let folder: RequestFolder

    init() throws {
        proxy = try Self.shared.get()
        folder = try RequestFolder()
        try folder.write(Self.key, "key-of-maps")
        try folder.write("p%w:s", "client")
        try folder.write("X-API-Key: \(Self.key)\n", "field")
    }

    private var profile: [String] { ["--profile", folder.path("profile.yaml")] }

    private func write(_ accounts: String, sites: [String], schemes: String = "basic") throws {
        let list = sites.map { "\"\($0)\"" }.joined(separator: ", ")
        try folder.write(
            "version: 1\nsites: [\(list)]\nschemes: [\(schemes)]\naccounts:\n\(accounts)\n",
            "profile.yaml"
        )
    }

    private func keyAccount(_ place: String, at site: String) -> String {
        """
          - name: maps
            token: { file: key-of-maps }
            \(place)
            cleartext: true
            sites: ["\(site)"]
        """
    }

    @Test("The key goes along in a field, explain says so, and a file is the other way to give it", .row(33, 35))
    func field()
        async throws
    {
        let place = "field: X-API-Key\n    referer: https://app.acme.example"
        try write(keyAccount(place, at: proxy.url), sites: [proxy.url])
        let run = try await folder.live(["get", "--explain", "\(proxy.url)/key"] + profile)
        #expect(run.status == 0 && run.output == "in https://app.acme.example\n", "\(run.error)")
        #expect(
            run.error.contains("that of 'maps' goes along in the field X-API-Key, by the rule \(proxy.url)"),
            "\(run.error)"
        )
        let file = try await folder.live(["get", "\(proxy.url)/key", "--header", "@\(folder.path("field"))"])
        #expect(file.status == 0 && file.output == "in -\n", "\(file.error)")
        #expect(!folder.written.contains(Self.key))
    }

    @Test("A key in the query is shown nowhere, and does not follow a redirect to another origin") func query()
        async throws
    {
        let other = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { other.stop() }
        try write(keyAccount("query: key", at: proxy.url), sites: [proxy.url])
        let run = try await folder.live(["get", "-v", "\(proxy.url)/key?a=b"] + profile)
        #expect(run.status == 0 && run.output == "in -\n", "\(run.error)")
        // The server repeats what it got in two fields.
        #expect(run.error.contains("X-Got: <redacted>\n"), "\(run.error)")
        #expect(run.error.contains("X-Target: /key?a=b&key=<redacted>\n"), "\(run.error)")
        let away = try await folder.live(["get", "\(proxy.url)/away?to=\(other.origin.port)"] + profile)
        #expect(away.status == 0 && away.output == "ok", "\(away.error)")
        #expect(
            other.requests.map { $0.head.prefix { $0 != "\r\n" } } == [
                "GET /there?to=\(other.origin.port) HTTP/1.1"
            ]
        )
        #expect(!folder.written.contains("k3y"))
    }

    @Test("A key that the interface does not take is called a token, with 1 as the end") func refused() async throws {
        try folder.write("wrong-key", "key-of-maps")
        try write(keyAccount("field: X-API-Key", at: proxy.url), sites: [proxy.url])
        let run = try await folder.live(["get", "\(proxy.url)/key"] + profile)
        #expect(
            run.status == 1 && run.error.contains(": 401 Unauthorized: the token of 'maps' was refused"),
            "\(run.error)"
        )
    }

    @Test(
        "Row 34: NTLM of the web tier and the key behind it travel together",
        .row(34),
        .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP)
    )
    func webTier() async throws {
        let root = try TestAuthority("Web tier")
        let leaf = try root.leaf("localhost")
        let certificate = try folder.write(leaf.certificate.serializeAsPEM().pemString, "leaf.pem")
        let keyFile = try folder.write(leaf.key.pemRepresentation, "leaf.key")
        let authorities = try folder.write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
        let apache = try ServerScript.Apache(before: proxy.port, certificate: certificate, key: keyFile)
        let site = "https://localhost:\(apache.https)"
        try folder.write("Correct-Horse", "password")
        let web = """
              - name: tier
                user: jdoe
                domain: \(ServerScript.domain)
                password: { file: password }
                sites: ["\(site)"]

            """
        try write(web + keyAccount("field: X-API-Key", at: site), sites: [site], schemes: "ntlm")
        let run = try await folder.live(["get", "--explain", "\(site)/key", "--cacert", authorities] + profile)
        #expect(run.status == 0 && run.output == "in -\n", "\(run.error)")
        #expect(
            run.error.lowercased().contains("ntlm") && run.error.contains("goes along in the field X-API-Key"),
            "\(run.error)"
        )
        // Without the key the web tier lets the user in, and the interface does not.
        try write(web, sites: [site], schemes: "ntlm")
        let without = try await folder.live(["get", "\(site)/key", "--cacert", authorities] + profile)
        #expect(without.status == 1, "\(without.error)")
        #expect(!folder.written.contains(Self.key) && !folder.written.contains("Correct-Horse"))
    }

    @Test(
        "Row 71: the ID token for the audience opens an identity-aware proxy, in the field of each product",
        .row(71),
        arguments: [("/iap", "Proxy-Authorization"), ("/access", "CF-Access-Token")]
    )
    func identity(page: String, field: String) async throws {
        func account(audience: String) -> String {
            """
              - name: \(audience)
                field: \(field)
                cleartext: true
                sites: ["\(proxy.url)\(page)"]
                oauth:
                  issuer: \(proxy.url)
                  client: machine
                  secret: { file: client }
                  grant: client-credentials
                  audience: \(audience)
                  id-token: true
            """
        }
        try write(account(audience: "iap-client"), sites: [proxy.url])
        let run = try await folder.live(["get", "--explain", "\(proxy.url)\(page)"] + profile)
        #expect(run.status == 0 && run.output == "in\n", "\(run.error)")
        #expect(run.error.contains("'iap-client' goes along in the field \(field)"), "\(run.error)")
        // joserfc refuses a token for another audience.
        try write(account(audience: "other-client"), sites: [proxy.url])
        let other = try await folder.live(["get", "\(proxy.url)\(page)"] + profile)
        #expect(other.status == 1 && other.output.contains("'aud'"), "\(other.error)")
        // No part of a token: all begin with the same header.
        #expect(!folder.written.contains("eyJhbGci"))
    }
}
