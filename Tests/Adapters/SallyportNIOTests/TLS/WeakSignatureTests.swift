import CryptoExtras
import Foundation
import LiveServers
import NIOSSL
import SallyportNIO
import Testing
import X509

/// Servers whose certificates are signed with SHA-1. `ChainSourcesTests` compares the same rule with OpenSSL.
@Suite(.inTurn) struct WeakSignatureTests {
    @Test("A leaf that is signed with SHA-1 is refused by name; the signature of the root is not asked for")
    func leaf() async throws {
        var world = try TLSWorld()
        let (rootKey, key) = (
            try _RSA.Signing.PrivateKey(keySize: .bits2048), try _RSA.Signing.PrivateKey(keySize: .bits2048)
        )
        func certificate(
            _ subject: String,
            _ key: _RSA.Signing.PrivateKey,
            _ algorithm: Certificate.SignatureAlgorithm,
            _ extensions: Certificate.Extensions
        ) throws -> Certificate {
            try Certificate(
                version: .v3,
                serialNumber: .init(),
                publicKey: .init(key.publicKey),
                notValidBefore: Date() - 3600,
                notValidAfter: Date() + 86_400,
                issuer: DistinguishedName { CommonName("Root") },
                subject: DistinguishedName { CommonName(subject) },
                signatureAlgorithm: algorithm,
                extensions: extensions,
                issuerPrivateKey: .init(rootKey)
            )
        }
        let isAuthority = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        }
        let root = try certificate("Root", rootKey, .sha1WithRSAEncryption, isAuthority)
        world.settings.roots = .certificates([try root.nio.toDERBytes()])
        let names = try Certificate.Extensions { SubjectAlternativeNames([.dnsName("wiki.example")]) }
        for (algorithm, isGood) in [
            (Certificate.SignatureAlgorithm.sha256WithRSAEncryption, true), (.sha1WithRSAEncryption, false),
        ] {
            let server = try await TLSTestServer.start(
                chain: [.certificate(try certificate("Leaf", key, algorithm, names).nio)],
                key: .privateKey(NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der))
            )
            let exchange = try await world.visit(server)
            #expect((exchange.answer == "ok") == isGood, "\(exchange.errors)")
            guard !isGood else { continue }
            guard case .serverNotValidated(_, .weakSignature("CN=Leaf"), _)? = exchange.error else {
                Issue.record("\(exchange.errors)")
                continue
            }
        }
    }
}
