import SPKIPins
import TestSupport
import Testing

@Suite struct SignatureHashTests {
    private static let pss: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A]
    private static let sha512: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03]

    private func hash(ofAlgorithm algorithm: [UInt8]) throws(CertificateError) -> SignatureHash? {
        var certificate = HandmadeCertificate()
        certificate[.outerAlgorithm] = algorithm
        let bytes = certificate.bytes
        return try CertificateWalk(of: bytes.span).signatureHash(in: bytes.span)
    }

    @Test(
        "RFC 3279 2.2.3 and RFC 5758 3.2: ECDSA",
        arguments: [
            ([0x01], .sha1), ([0x03, 0x01], nil), ([0x03, 0x02], .sha256), ([0x03, 0x03], .sha384),
            ([0x03, 0x04], .sha512),
        ] as [([UInt8], SignatureHash?)]
    )
    func ecdsa(arc: [UInt8], expected: SignatureHash?) throws {
        #expect(try hash(ofAlgorithm: der(0x30, der(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04] + arc))) == expected)
    }

    @Test("OIW's second name of sha1WithRSA")
    func sha1ByOIW() throws {
        #expect(try hash(ofAlgorithm: der(0x30, der(0x06, [0x2B, 0x0E, 0x03, 0x02, 0x1D]), [5, 0])) == .sha1)
    }

    @Test("RFC 4055 3.1: the hash of RSA-PSS is in the parameters, SHA-1 when not named, unknown without parameters")
    func pssParameters() throws {
        let named = der(0x30, der(0xA0, der(0x30, der(0x06, Self.sha512), [5, 0])), der(0xA2, der(2, [64])))
        #expect(try hash(ofAlgorithm: der(0x30, der(0x06, Self.pss), named)) == .sha512)
        let unnamed = der(0x30, der(0xA2, der(2, [64])))
        #expect(try hash(ofAlgorithm: der(0x30, der(0x06, Self.pss), unnamed)) == .sha1)
        #expect(try hash(ofAlgorithm: der(0x30, der(0x06, Self.pss))) == nil)
        #expect(try hash(ofAlgorithm: der(0x30, der(0x06, Self.pss), [5, 0])) == nil)
    }

    @Test("Zeros in front of a known identifier, or more behind it, make another one")
    func lengthOfTheIdentifierCounts() throws {
        let ecdsa: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
        #expect(try hash(ofAlgorithm: der(0x30, der(0x06, ecdsa))) == .sha256)
        #expect(try hash(ofAlgorithm: der(0x30, der(0x06, [0] + ecdsa))) == nil)
        #expect(try hash(ofAlgorithm: der(0x30, der(0x06, ecdsa + [0]))) == nil)
        #expect(try hash(ofAlgorithm: der(0x30, der(0x06, ecdsa + ecdsa + ecdsa))) == nil)
    }

    @Test func malformedAlgorithmIsAnError() {
        #expect(throws: CertificateError.self) { try hash(ofAlgorithm: der(0x30)) }
        #expect(throws: CertificateError.self) {
            try hash(ofAlgorithm: der(0x30, der(0x06, Self.pss), [0x30, 0x01, 0xA0]))
        }
    }
}
