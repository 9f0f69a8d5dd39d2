internal import Crypto
internal import CryptoExtras
package import Foundation
internal import SwiftASN1
package import X509

/// The certificate and the private key of a client, as a file has them.
package struct ClientPair: Sendable {
    package enum Kind: CaseIterable, Sendable {
        case rsa, p256, p384
    }

    package let certificate: Certificate
    /// The certificate in PEM.
    package let certificatePEM: String
    /// The key in PEM.
    package let keyPEM: String
    /// Both.
    package var pem: String { certificatePEM + "\n" + keyPEM }

    /// The certificate, as it goes over the wire.
    package var der: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
    }

    /// The serial number as nginx writes it.
    package var serial: String {
        let digits = certificate.serialNumber.bytes.map { byte in
            let text = String(byte, radix: 16, uppercase: true)
            return text.count == 1 ? "0\(text)" : text
        }
        return digits.joined()
    }
}

extension TestAuthority {
    /// A client's certificate of this authority.
    ///
    /// - Parameters:
    ///   - purposes: the extension extKeyUsage; `nil` for none.
    ///   - usage: the extension keyUsage; `nil` for none.
    package func client(
        _ name: String,
        _ kind: ClientPair.Kind = .p256,
        begin: Date = Date() - 3_600,
        end: Date = Date() + 86_400,
        purposes: [ExtendedKeyUsage.Usage]? = [.clientAuth],
        usage: KeyUsage? = nil
    ) throws -> ClientPair {
        let key: Certificate.PrivateKey
        let keyPEM: String
        switch kind {
        case .rsa:
            let made = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            (key, keyPEM) = (.init(made), made.pemRepresentation)
        case .p256:
            let made = P256.Signing.PrivateKey()
            (key, keyPEM) = (.init(made), made.pemRepresentation)
        case .p384:
            let made = P384.Signing.PrivateKey()
            (key, keyPEM) = (.init(made), made.pemRepresentation)
        }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: key.publicKey,
            notValidBefore: begin,
            notValidAfter: end,
            issuer: own.certificate.subject,
            subject: DistinguishedName { CommonName(name) },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                if let purposes { try ExtendedKeyUsage(purposes) }
                if let usage { usage }
            },
            issuerPrivateKey: .init(own.key)
        )
        let pem = try certificate.serializeAsPEM().pemString
        return ClientPair(certificate: certificate, certificatePEM: pem, keyPEM: keyPEM)
    }
}
