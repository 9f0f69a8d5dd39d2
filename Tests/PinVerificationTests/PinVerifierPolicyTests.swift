import Crypto
import Foundation
import Hostnames
import PinVerification
import SPKIPins
import SwiftASN1
import Testing
import X509

@Suite struct PinVerifierPolicyTests {
    /// Two roots, an authority that both have signed, and its leaf.
    private struct Authorities {
        let one = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let other = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let issuer = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let leaf = Certificate.PrivateKey(P256.Signing.PrivateKey())

        func root(_ name: String, _ key: Certificate.PrivateKey) throws -> Certificate {
            try certificate(name, key, by: name, key, isAuthority: true)
        }

        func crossed(_ name: String, _ key: Certificate.PrivateKey) throws -> Certificate {
            try certificate("Issuer", issuer, by: name, key, isAuthority: true)
        }

        var end: Certificate {
            get throws { try certificate("Leaf", leaf, by: "Issuer", issuer, isAuthority: false) }
        }

        private func certificate(
            _ subject: String,
            _ key: Certificate.PrivateKey,
            by issuer: String,
            _ issuerKey: Certificate.PrivateKey,
            isAuthority: Bool
        ) throws -> Certificate {
            try Certificate(
                version: .v3,
                serialNumber: .init(),
                publicKey: key.publicKey,
                notValidBefore: Date() - 3600,
                notValidAfter: Date() + 3600,
                issuer: DistinguishedName { CommonName(issuer) },
                subject: DistinguishedName { CommonName(subject) },
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: Certificate.Extensions {
                    Critical(
                        isAuthority
                            ? BasicConstraints.isCertificateAuthority(maxPathLength: nil)
                            : BasicConstraints.notCertificateAuthority
                    )
                },
                issuerPrivateKey: issuerKey
            )
        }
    }

    private func pin(_ key: Certificate.PrivateKey) throws -> Pin {
        // Its property of that name has the bits of the key alone.
        var serializer = DER.Serializer()
        try serializer.serialize(key.publicKey)
        let bytes = serializer.serializedBytes
        return Pin(hashing: bytes.span)
    }

    /// The names of the path that the verifier finds, leaf first, or `nil`.
    private func path(
        pinning key: Certificate.PrivateKey,
        _ authorities: Authorities,
        host: String = "host.example",
        mode: PinPolicy.Mode = .enforce,
        forbidden: [Certificate.PrivateKey] = [],
        now: Int64 = 0,
        expired: PinVerifierPolicy.Expired = .refuse
    ) async throws -> [String]? {
        let spare = Pin(hashing: [UInt8](arrayLiteral: 1).span)
        let entry = PinPolicy.Entry(
            host: "host.example",
            pins: [PositionedPin(try pin(key), at: .issuer)],
            backup: .pins([PositionedPin(spare)]),
            expiry: 1000,
            mode: mode,
            forbidden: try forbidden.map(pin)
        )
        let pins = try PinPolicy(compiling: [entry], version: 1, at: 0)
        let name = try Hostname(parsing: host)
        let roots = [try authorities.root("One", authorities.one), try authorities.root("Other", authorities.other)]
        let between = [
            try authorities.crossed("One", authorities.one), try authorities.crossed("Other", authorities.other),
        ]
        var verifier = Verifier(rootCertificates: CertificateStore(roots)) {
            RFC5280Policy()
            PinVerifierPolicy(pins, host: name, now: now, expired: expired, memo: PinMemo())
        }
        let result = await verifier.validate(leaf: try authorities.end, intermediates: CertificateStore(between))
        guard case .validCertificate(let chain) = result else { return nil }
        return chain.map { "\($0.subject)" }
    }

    @Test("Of two paths, the one with the pin is found, whichever it is")
    func twoPaths() async throws {
        let authorities = Authorities()
        #expect(try await path(pinning: authorities.one, authorities) == ["CN=Leaf", "CN=Issuer", "CN=One"])
        #expect(try await path(pinning: authorities.other, authorities) == ["CN=Leaf", "CN=Issuer", "CN=Other"])
    }

    @Test func withoutAPinOnAnyPathThereIsNone() async throws {
        let authorities = Authorities()
        let stranger = Certificate.PrivateKey(P256.Signing.PrivateKey())
        #expect(try await path(pinning: stranger, authorities) == nil)
        #expect(try await path(pinning: stranger, authorities, mode: .reportOnly) != nil)
        #expect(try await path(pinning: stranger, authorities, host: "other.example") != nil)
    }

    @Test func aForbiddenRootIsGoneAround() async throws {
        let authorities = Authorities()
        let found = try await path(pinning: authorities.issuer, authorities, forbidden: [authorities.one])
        #expect(found == ["CN=Leaf", "CN=Issuer", "CN=Other"])
        #expect(try await path(pinning: authorities.issuer, authorities, forbidden: [authorities.leaf]) == nil)
    }

    @Test func anExpiredEntryIsTheCallersChoice() async throws {
        let authorities = Authorities()
        #expect(try await path(pinning: authorities.one, authorities, now: 1000) == nil)
        #expect(try await path(pinning: authorities.one, authorities, now: 1000, expired: .accept) != nil)
    }
}
