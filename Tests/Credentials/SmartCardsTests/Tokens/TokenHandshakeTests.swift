import Credentials
import Foundation
import LiveServers
import NIOCore
import Sallyport
import SallyportClient
import SallyportNIO
import SmartCards
import SwiftASN1
import Testing
import X509

/// nginx with OpenSSL verifies certificates whose keys are on a token.
@Suite(.inTurn, .needs(.softHSM, .openssl, .nginx)) struct TokenHandshakeTests {
    /// Asks nginx through the client with the identity of a token; returns the page.
    private static func visit(_ identity: TokenIdentity, _ tokens: SoftTokens, version: String) async throws -> String {
        try await visit(tokens, version: version) { site, profile, settings in
            profile.identities = [.init(identity.identity, sites: [site])]
            settings.signingKeys = [identity.identity.name: identity.key]
        }
    }

    /// The same with what `present` puts into profile and settings.
    private static func visit(
        _ tokens: SoftTokens,
        version: String,
        present: (String, inout SecurityProfile, inout TLSSettings) -> Void
    ) async throws -> String {
        let root = try TestAuthority("Root")
        let pem = try String(contentsOfFile: tokens.path("issuer.crt"), encoding: .utf8)
        let nginx = try await NginxWithClients(
            root.leaf("127.0.0.1"),
            clients: Certificate(pemEncoded: pem),
            version: version
        )
        let origin = "https://127.0.0.1:\(nginx.port)"
        var profile = SecurityProfile(sites: try SiteList(parsing: origin, name: "test"), schemes: [.basic])
        var settings = TLSSettings.patient
        settings.roots = .certificates([try root.own.der])
        present(origin, &profile, &settings)
        let current = CurrentHandler(ChallengeHandler(try CompiledProfile(profile, at: 0)))
        let client = AuthenticatedClient(current, tls: try TLSConnector(settings, current))
        defer { client.shutDown() }
        let request = try ClientRequest(url: "\(origin)/")
        let response = try await client.execute(request, deadline: .now() + .patient)
        return String(buffer: try await response.body.collect(upTo: 4_096))
    }

    @Test("Row 66: a smart card answers for itself, in TLS 1.2 and 1.3", arguments: SoftTokens.Kind.allCases)
    func verified(kind: SoftTokens.Kind) async {
        await #expect(processExitsWith: .success) { [kind] in
            try await withSoftTokens { tokens in
                try tokens.provision(kind)
                let identity = try await tokens.open().identity(named: "laptop")
                for version in ["TLSv1.2", "TLSv1.3"] {
                    let page = try await Self.visit(identity, tokens, version: version)
                    #expect(page.hasPrefix("SUCCESS CN=laptop 7,O=Example \(version) "), "\(page)")
                }
            }
        }
    }

    @Test("The snippets of the page: nginx verifies the certificate of the token that a URI names") func page() async {
        await #expect(processExitsWith: .success) {
            try await withSoftTokens { tokens in
                try tokens.provision(.p256)
                try SoftTokens.pin.write(toFile: tokens.path("pin"), atomically: true, encoding: .utf8)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tokens.path("pin"))
                let text =
                    "pkcs11:token=work;id=%01?module-path=\(SoftTokens.module)&pin-source=file:\(tokens.path("pin"))"
                let laptop = try await SmartCardsSnippet.laptop(text)
                let page = try await Self.visit(tokens, version: "TLSv1.3") { site, profile, settings in
                    SmartCardsSnippet.present(laptop, at: site, &profile, &settings)
                }
                #expect(page.hasPrefix("SUCCESS CN=laptop 7,O=Example TLSv1.3 "), "\(page)")
            }
        }
    }

    @Test("A token without PSS signs for TLS 1.2, and says in TLS 1.3 what is missing")
    func withoutPSS() async {
        await #expect(processExitsWith: .success) {
            try await withSoftTokens { tokens in
                try tokens.provision(.rsa)
                tokens.set("FAULTY_NO_PSS", "1")
                let identity = try await tokens.open(module: tokens.makeFaultyModule()).identity(named: "laptop")
                #expect(try await Self.visit(identity, tokens, version: "TLSv1.2").hasPrefix("SUCCESS "))
                await #expect {
                    _ = try await Self.visit(identity, tokens, version: "TLSv1.3")
                } throws: {
                    "\($0)".contains("our key signs with no algorithm that the server takes")
                }
            }
        }
    }

    @Test("A token that is gone is the error of the request")
    func gone() async {
        await #expect(processExitsWith: .success) {
            try await withSoftTokens { tokens in
                try tokens.provision(.p256)
                let identity = try await tokens.open(module: tokens.makeFaultyModule()).identity(named: "laptop")
                tokens.set("FAULTY_SIGN", "0x32")
                tokens.set("FAULTY_SIGN_TIMES", "100")
                await #expect {
                    _ = try await Self.visit(identity, tokens, version: "TLSv1.3")
                } throws: {
                    "\($0)".contains("the token is gone (CKR_DEVICE_REMOVED): insert it")
                }
            }
        }
    }
}
