package import Crypto
package import Foundation
package import NIOSSL
package import SPKIPins
internal import SwiftASN1
package import X509

/// A certificate and its private key.
package struct Keyed: Sendable {
    package let certificate: Certificate
    package let key: P256.Signing.PrivateKey

    package init(certificate: Certificate, key: P256.Signing.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// The certificate, as it goes over the wire.
    package var der: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
    }

    /// SHA-256 of SubjectPublicKeyInfo, computed without this package.
    package var pin: Pin {
        get throws {
            let digest = Data(SHA256.hash(data: key.publicKey.derRepresentation))
            return try Pin(parsing: "sha256/\(digest.base64EncodedString())")
        }
    }

    /// TLS of a server with this certificate.
    package var serverContext: NIOSSLContext {
        get throws {
            let chain = [NIOSSLCertificateSource.certificate(try certificate.nio)]
            return try NIOSSLContext(
                configuration: .makeServerConfiguration(certificateChain: chain, privateKey: source)
            )
        }
    }

    /// TLS of a server with this certificate that asks for a certificate of `clients`.
    ///
    /// - Parameter demands: whether it ends the handshake without one; otherwise it goes on.
    package func serverContext(asking clients: TestAuthority, demands: Bool = false) throws -> NIOSSLContext {
        let chain = [NIOSSLCertificateSource.certificate(try certificate.nio)]
        var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: try source)
        configuration.certificateVerification = demands ? .noHostnameVerification : .optionalVerification
        configuration.trustRoots = .certificates([try clients.own.certificate.nio])
        return try NIOSSLContext(configuration: configuration)
    }

    package var source: NIOSSLPrivateKeySource {
        get throws { .privateKey(try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)) }
    }
}

/// Issues certificates for tests.
package struct TestAuthority: Sendable {
    /// What a test changes about a certificate.
    package struct Changes: Sendable {
        package var begin: Date
        package var end: Date
        package var uses: [ExtendedKeyUsage.Usage]?
        package var usesOfAuthority: [ExtendedKeyUsage.Usage]?
        package var hasNames: Bool
        package var isAuthority: Bool?
        package var commonName: String?
        package var hasUnknownCriticalExtension: Bool

        package init(
            begin: Date = Date() - 3600,
            end: Date = Date() + 86_400,
            uses: [ExtendedKeyUsage.Usage]? = [.serverAuth],
            usesOfAuthority: [ExtendedKeyUsage.Usage]? = nil,
            hasNames: Bool = true,
            isAuthority: Bool? = nil,
            commonName: String? = nil,
            hasUnknownCriticalExtension: Bool = false
        ) {
            self.begin = begin
            self.end = end
            self.uses = uses
            self.usesOfAuthority = usesOfAuthority
            self.hasNames = hasNames
            self.isAuthority = isAuthority
            self.commonName = commonName
            self.hasUnknownCriticalExtension = hasUnknownCriticalExtension
        }
    }

    package let own: Keyed
    package let name: String

    private init(_ own: Keyed, _ name: String) {
        self.own = own
        self.name = name
    }

    /// A root.
    package init(_ name: String, _ changes: Changes = Changes()) throws {
        let key = P256.Signing.PrivateKey()
        self.init(
            Keyed(certificate: try Self.make(name, key, by: name, key, nil, changes), key: key),
            name
        )
    }

    /// Issues with the key of a certificate, whether it allows that or not.
    package init(issuing own: Keyed, as name: String) { self.init(own, name) }

    /// An authority below this one.
    package func authority(_ name: String, _ changes: Changes = Changes()) throws -> TestAuthority {
        let key = P256.Signing.PrivateKey()
        let certificate = try Self.make(name, key, by: self.name, own.key, nil, changes)
        return TestAuthority(Keyed(certificate: certificate, key: key), name)
    }

    /// Another certificate of `other`, which this authority signs.
    package func crossSigned(_ other: TestAuthority) throws -> Certificate {
        try Self.make(other.name, other.own.key, by: name, own.key, nil, Changes())
    }

    /// A certificate with these names or addresses.
    package func leaf(_ names: String..., changes: Changes = Changes()) throws -> Keyed {
        let key = P256.Signing.PrivateKey()
        return Keyed(
            certificate: try Self.make(changes.commonName ?? "Leaf", key, by: name, own.key, names, changes),
            key: key
        )
    }

    /// Certificates of this authority for itself, each with another name, so that each is the issuer of all.
    package func mutual(_ count: Int) throws -> [Certificate] {
        try (0..<count).map { index in
            let changes = Changes(isAuthority: true)
            return try Self.make(name, own.key, by: name, own.key, ["\(index).example"], changes)
        }
    }

    /// Another certificate for a key.
    package func leaf(_ name: String, key: P256.Signing.PrivateKey) throws -> Certificate {
        try Self.make("Leaf", key, by: self.name, own.key, [name], Changes(uses: nil))
    }

    private static func make(
        _ subject: String,
        _ key: P256.Signing.PrivateKey,
        by issuer: String,
        _ issuerKey: P256.Signing.PrivateKey,
        _ names: [String]?,
        _ changes: Changes
    ) throws -> Certificate {
        let constraints: BasicConstraints =
            changes.isAuthority ?? (names == nil)
            ? .isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority
        let hosts = (names ?? []).map { name -> GeneralName in
            if name == "::1" {
                return .ipAddress(ASN1OctetString(contentBytes: [UInt8](repeating: 0, count: 15) + [1]))
            }
            let parts = name.split(separator: ".").compactMap { UInt8($0) }
            return parts.count == 4 ? .ipAddress(ASN1OctetString(contentBytes: parts[...])) : .dnsName(name)
        }
        return try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(key.publicKey),
            notValidBefore: changes.begin,
            notValidAfter: changes.end,
            issuer: DistinguishedName { CommonName(issuer) },
            subject: DistinguishedName { CommonName(subject) },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(constraints)
                if names != nil, changes.hasNames { SubjectAlternativeNames(hosts) }
                if let uses = names == nil ? changes.usesOfAuthority : changes.uses { try ExtendedKeyUsage(uses) }
                if changes.hasUnknownCriticalExtension {
                    Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 99999, 1], critical: true, value: [0x05, 0x00])
                }
            },
            issuerPrivateKey: .init(issuerKey)
        )
    }
}

extension Certificate {
    /// For NIOSSL.
    package var nio: NIOSSLCertificate {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return try NIOSSLCertificate(bytes: serializer.serializedBytes, format: .der)
        }
    }
}
