import Credentials
import Foundation
import LiveServers
import NIOCore
import Sallyport
import SallyportClient
import SallyportNIO
import SmartCards
import SwiftASN1
import TestSupport
import Testing
import X509

/// nginx with OpenSSL verifies certificates whose keys are on a card.
@Suite(.inTurn, .needs(.softHSM, .openssl, .nginx)) struct CardHandshakeTests {
    /// Asks nginx through the client with the identity of a card; returns the page.
    private static func visit(_ identity: CardIdentity, _ cards: SoftCards, version: String) async throws -> String {
        try await visit(cards, version: version) { site, profile, settings in
            profile.identities = [.init(identity.identity, sites: [site])]
            settings.signingKeys = [identity.identity.name: identity.key]
        }
    }

    /// The same with what `present` puts into profile and settings.
    private static func visit(
        _ cards: SoftCards,
        version: String,
        present: (String, inout SecurityProfile, inout TLSSettings) -> Void
    ) async throws -> String {
        let root = try TestAuthority("Root")
        let pem = try String(contentsOfFile: cards.path("issuer.crt"), encoding: .utf8)
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

    @Test("Row 66: a smart card answers for itself, in TLS 1.2 and 1.3", .row(66), arguments: SoftCards.Kind.allCases)
    func verified(kind: SoftCards.Kind) async {
        await #expect(processExitsWith: .success) { [kind] in
            try await withSoftCards { cards in
                try cards.provision(kind)
                let identity = try await cards.open().identity(named: "laptop")
                for version in ["TLSv1.2", "TLSv1.3"] {
                    let page = try await Self.visit(identity, cards, version: version)
                    #expect(page.hasPrefix("SUCCESS CN=laptop 7,O=Example \(version) "), "\(page)")
                }
            }
        }
    }

    @Test("The snippets of the page: nginx verifies the certificate of the card that a URI names") func page() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.p256)
                try SoftCards.pin.write(toFile: cards.path("pin"), atomically: true, encoding: .utf8)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: cards.path("pin"))
                let text =
                    "pkcs11:token=work;id=%01?module-path=\(SoftCards.module)&pin-source=file:\(cards.path("pin"))"
                let laptop = try await SmartCardsSnippet.laptop(text)
                let page = try await Self.visit(cards, version: "TLSv1.3") { site, profile, settings in
                    SmartCardsSnippet.present(laptop, at: site, &profile, &settings)
                }
                #expect(page.hasPrefix("SUCCESS CN=laptop 7,O=Example TLSv1.3 "), "\(page)")
            }
        }
    }

    @Test("A card without PSS signs for TLS 1.2, and says in TLS 1.3 what is missing")
    func withoutPSS() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.rsa)
                cards.set("FAULTY_NO_PSS", "1")
                let identity = try await cards.open(module: cards.makeFaultyModule()).identity(named: "laptop")
                #expect(try await Self.visit(identity, cards, version: "TLSv1.2").hasPrefix("SUCCESS "))
                await #expect {
                    _ = try await Self.visit(identity, cards, version: "TLSv1.3")
                } throws: {
                    "\($0)".contains("our key signs with no algorithm that the server takes")
                }
            }
        }
    }

    @Test("A card that is gone is the error of the request")
    func gone() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.p256)
                let identity = try await cards.open(module: cards.makeFaultyModule()).identity(named: "laptop")
                cards.set("FAULTY_SIGN", "0x32")
                cards.set("FAULTY_SIGN_TIMES", "100")
                await #expect {
                    _ = try await Self.visit(identity, cards, version: "TLSv1.3")
                } throws: {
                    "\($0)".contains("the card is gone (CKR_DEVICE_REMOVED): insert it")
                }
            }
        }
    }
}
