import Credentials
import Foundation
import LiveServers
import NIOCore
import Sallyport
import SallyportNIO
import SwiftASN1
import Testing
import TokenIdentities
import X509

/// nginx with OpenSSL verifies certificates whose keys are on a token.
@Suite(.needs(.softHSM, .openssl, .nginx)) struct TokenHandshakeTests {
    /// Asks nginx through the client with the identity of a token; returns the page.
    private static func visit(_ identity: TokenIdentity, _ tokens: SoftTokens, version: String) async throws -> String {
        let root = try TestAuthority("Root")
        let pem = try String(contentsOfFile: tokens.path("issuer.crt"), encoding: .utf8)
        let nginx = try await NginxWithClients(
            root.leaf("127.0.0.1"),
            clients: Certificate(pemEncoded: pem),
            verify: "on",
            version: version
        )
        let origin = "https://127.0.0.1:\(nginx.port)"
        let profile = SecurityProfile(
            sites: try SiteList(parsing: origin, name: "test"),
            schemes: [.basic],
            identities: [.init(identity.identity, sites: [origin])]
        )
        let current = CurrentHandler(ChallengeHandler(try CompiledProfile(profile, at: 0)))
        var settings = TLSSettings()
        settings.roots = .certificates([try root.own.der])
        settings.signingKeys = [identity.identity.name: identity.key]
        settings.handshakeLimit = .minutes(5)
        let client = AuthenticatedClient(current, tls: try TLSConnector(settings, current))
        defer { client.shutDown() }
        let request = try ClientRequest(url: "\(origin)/")
        let response = try await client.execute(request, deadline: .now() + .minutes(10))
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

    /// The snippets of the page, word for word.
    private static func snippets() async throws {
        let sites = try SiteList(parsing: "wiki.corp.example", name: "test")
        var (profile, settings) = (SecurityProfile(sites: sites, schemes: [.basic]), TLSSettings())
        let uri = try TokenURI(
            parsing: "pkcs11:token=Work;id=%01?module-path=/usr/lib/opensc-pkcs11.so&pin-source=file:/run/secrets/pin"
        )
        let token = try await Token.open(uri)
        let laptop = try await token.identity(named: "laptop")
        profile.identities = [.init(laptop.identity, sites: ["wiki.corp.example"])]
        settings.signingKeys["laptop"] = laptop.key
    }

    @Test("The snippets of the page compile, and say what is missing here")
    func page() async throws {
        await #expect {
            try await Self.snippets()
        } throws: {
            $0 is TokenError
        }
        let folder = URL(filePath: #filePath).pathComponents.prefix { $0 != "Tests" }.joined(separator: "/")
        let page = try String(
            contentsOfFile: folder + "/Sources/Credentials/TokenIdentities/TokenIdentities.docc/TokenIdentities.md",
            encoding: .utf8
        )
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let blocks = page.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count == 2)
        for line in blocks.joined().split(separator: "\n") { #expect(source.contains("        \(line)\n"), "\(line)") }
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
