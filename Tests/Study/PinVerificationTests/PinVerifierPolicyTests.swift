import Crypto
import Foundation
import Hostnames
import PinVerification
import SPKIPins
import SwiftASN1
import TestLimits
import Testing
import X509

@Suite(.inTurn) struct PinVerifierPolicyTests {
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

        /// A leaf that names the authority as its issuer, but is signed with another key.
        func forged(signedBy key: Certificate.PrivateKey) throws -> Certificate {
            try certificate("Leaf", leaf, by: "Issuer", key, isAuthority: false)
        }

        /// A leaf that the authority has issued, and that has ended.
        var ended: Certificate {
            get throws { try certificate("Leaf", leaf, by: "Issuer", issuer, isAuthority: false, end: Date() - 60) }
        }

        private func certificate(
            _ subject: String,
            _ key: Certificate.PrivateKey,
            by issuer: String,
            _ issuerKey: Certificate.PrivateKey,
            isAuthority: Bool,
            end: Date = Date() + 3600
        ) throws -> Certificate {
            try Certificate(
                version: .v3,
                serialNumber: .init(),
                publicKey: key.publicKey,
                notValidBefore: Date() - 3600,
                notValidAfter: end,
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

    /// What the verifier answers.
    private func result(
        pinning key: Certificate.PrivateKey,
        _ authorities: Authorities,
        host: String = "host.example",
        mode: PinPolicy.Mode = .enforce,
        forbidden: [Certificate.PrivateKey] = [],
        now: Int64 = 0,
        expired: PinVerifierPolicy.Expired = .refuse,
        leaf: Certificate? = nil
    ) async throws -> CertificateValidationResult {
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
        return await verifier.validate(
            leaf: try leaf ?? authorities.end,
            intermediates: CertificateStore(between)
        )
    }

    @Test("Of two paths, the one with the pin is found, whichever it is")
    func twoPaths() async throws {
        let authorities = Authorities()
        #expect(try await result(pinning: authorities.one, authorities).path == ["CN=Leaf", "CN=Issuer", "CN=One"])
        #expect(try await result(pinning: authorities.other, authorities).path == ["CN=Leaf", "CN=Issuer", "CN=Other"])
    }

    @Test func withoutAPinOnAnyPathThereIsNone() async throws {
        let authorities = Authorities()
        let stranger = Certificate.PrivateKey(P256.Signing.PrivateKey())
        #expect(try await result(pinning: stranger, authorities).path == nil)
        #expect(try await result(pinning: stranger, authorities, mode: .reportOnly).path != nil)
        #expect(try await result(pinning: stranger, authorities, host: "other.example").path != nil)
    }

    @Test("A refusal gives its reason in one line")
    func reason() async throws {
        let stranger = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let other = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let result = try await result(pinning: stranger, Authorities(), forbidden: [other])
        guard case .couldNotValidate(let failures) = result else {
            Issue.record("\(result)")
            return
        }
        let expected = "refused: none of 3 certificates has one of the 2 pins of host.example"
        #expect(failures.map { "\($0.policyFailureReason)" } == [expected, expected])
    }

    @Test func aForbiddenRootIsGoneAround() async throws {
        let authorities = Authorities()
        let found = try await result(pinning: authorities.issuer, authorities, forbidden: [authorities.one]).path
        #expect(found == ["CN=Leaf", "CN=Issuer", "CN=Other"])
        #expect(try await result(pinning: authorities.issuer, authorities, forbidden: [authorities.leaf]).path == nil)
    }

    @Test("S17: a pin does not make an invalid path valid: wrong signatures, expired certificates")
    func pinsDoNotReplaceValidation() async throws {
        let authorities = Authorities()
        let stranger = Certificate.PrivateKey(P256.Signing.PrivateKey())
        for pinned in [authorities.one, authorities.issuer] {
            #expect(try await result(pinning: pinned, authorities).path != nil)
            let forged = try authorities.forged(signedBy: stranger)
            #expect(try await result(pinning: pinned, authorities, leaf: forged).path == nil)
            #expect(try await result(pinning: pinned, authorities, leaf: try authorities.ended).path == nil)
        }
    }

    @Test func anExpiredEntryIsTheCallersChoice() async throws {
        let authorities = Authorities()
        #expect(try await result(pinning: authorities.one, authorities, now: 1000).path == nil)
        #expect(try await result(pinning: authorities.one, authorities, now: 1000, expired: .accept).path != nil)
    }

    @Test("A report-only entry refuses no path, before or after its expiry")
    func anExpiredEntryThatOnlyReports() async throws {
        let authorities = Authorities()
        let stranger = Certificate.PrivateKey(P256.Signing.PrivateKey())
        for key in [authorities.one, stranger] {
            for now: Int64 in [999, 1000] {
                #expect(try await result(pinning: key, authorities, mode: .reportOnly, now: now).path != nil)
            }
        }
    }
}

extension CertificateValidationResult {
    /// The names of the path that the verifier found, leaf first, or `nil`.
    fileprivate var path: [String]? {
        guard case .validCertificate(let chain) = self else { return nil }
        return chain.map { "\($0.subject)" }
    }
}
