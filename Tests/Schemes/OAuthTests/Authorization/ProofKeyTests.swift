import Testing

@testable import OAuth

@Suite struct ProofKeyTests {
    /// The octets of RFC 7636 appendix B.
    static let octets: [UInt8] = [
        116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191, 240,
        91, 88, 5, 88, 83, 132, 141, 121,
    ]

    @Test("The example of RFC 7636 appendix B") func specification() {
        let octets = Self.octets
        let proof = ProofKey(random: octets.span)
        #expect(secretText(proof.verifier) == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(proof.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test("Each proof is another one") func random() {
        #expect(Set((0..<100).map { _ in ProofKey.random().challenge }).count == 100)
    }
}
