import Crypto
import Foundation
import LiveServers
import NIOSSL
import SallyportNIO
import TestSupport
import Testing
import X509

/// The keys of authorities between a server and a root. Those of servers are in `TrustedKeyTests`.
@Suite(.inTurn) struct KeyFloorTests {
    @Test(
        "An authority on the path whose key is below the floor is refused; the key of the root is not asked for",
        .row(77)
    )
    func weakAuthority() async throws {
        var world = try TLSWorld()
        let issuer = try world.root.authority("Issuer")
        // Root and issuer have P-256, so only the key of the server reaches the higher floor.
        let key = P384.Signing.PrivateKey()
        let leaf = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(key.publicKey),
            notValidBefore: issuer.own.certificate.notValidBefore,
            notValidAfter: issuer.own.certificate.notValidAfter,
            issuer: issuer.own.certificate.subject,
            subject: DistinguishedName { CommonName("Leaf") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions { SubjectAlternativeNames([.dnsName("wiki.example")]) },
            issuerPrivateKey: .init(issuer.own.key)
        )
        let server = try await TLSTestServer.start(
            chain: try [leaf, issuer.own.certificate].map { .certificate(try $0.nio) },
            key: .privateKey(NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der))
        )
        for (floor, isGood) in [(256, true), (384, false)] {
            world.settings.keyFloor = KeyFloor(curveBits: floor)
            let exchange = try await world.visit(server)
            #expect((exchange.answer == "ok") == isGood, "\(exchange.errors)")
            guard !isGood else { continue }
            guard case .serverNotValidated(_, .weakKey("CN=Issuer", _), _)? = exchange.error else {
                Issue.record("\(exchange.errors)")
                continue
            }
        }
    }
}
