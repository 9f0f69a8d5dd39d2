internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// An issuer of certificates: a name and a key.
struct Signer {
    let name: DistinguishedName
    let key: Curve25519.Signing.PrivateKey

    init(_ organisation: String, _ commonName: String, _ numbers: inout SeededNumbers) throws {
        name = try DistinguishedName {
            CountryName("XX")
            OrganizationName(organisation)
            CommonName(commonName)
        }
        // Ed25519 signs the same bytes the same way (RFC 8032 5.1.6): that is what makes the recording repeatable.
        // An ECDSA signature would be another one each time, and with it the certificate's hash.
        key = try Curve25519.Signing.PrivateKey(rawRepresentation: numbers.bytes(32))
    }

    var publicKey: Certificate.PublicKey { Certificate.PublicKey(key.publicKey) }

    /// A certificate for another signer, or for this one itself.
    func certify(_ authority: Signer, from: Int64, to: Int64, pathLength: Int?, serial: [UInt8]) throws -> [UInt8] {
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: pathLength))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            SubjectKeyIdentifier(hash: authority.publicKey)
            AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: publicKey).keyIdentifier)
        }
        return try sign(authority.publicKey, authority.name, from, to, serial, extensions)
    }

    /// A certificate for a host.
    func certify(host: String, _ key: P256.Signing.PublicKey, from: Int64, to: Int64, serial: [UInt8]) throws -> [UInt8]
    {
        let publicKey = Certificate.PublicKey(key)
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.serverAuth])
            SubjectAlternativeNames([.dnsName(host)])
            AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: self.publicKey).keyIdentifier)
        }
        return try sign(publicKey, DistinguishedName { CommonName(host) }, from, to, serial, extensions)
    }

    private func sign(
        _ publicKey: Certificate.PublicKey,
        _ subject: DistinguishedName,
        _ from: Int64,
        _ to: Int64,
        _ serial: [UInt8],
        _ extensions: Certificate.Extensions
    ) throws -> [UInt8] {
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(bytes: [0x40 | serial[0] & 0x3F] + serial.dropFirst()),
            publicKey: publicKey,
            notValidBefore: Date(timeIntervalSince1970: TimeInterval(from)),
            notValidAfter: Date(timeIntervalSince1970: TimeInterval(to - 1)),
            issuer: name,
            subject: subject,
            signatureAlgorithm: .ed25519,
            extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}
