import Testing

@testable import SPKIPins

@Suite struct SystemTrustTests {
    // The numbers of Apple's SecBase.h.
    @Test(
        "The code of a refusal says why, and without one the system's words stay",
        arguments: [
            (-67_843, SystemTrustProblem.unknownAuthority), (-25_318, .unknownAuthority), (-67_818, .expired),
            (-67_819, .notYetValid), (-67_602, .otherName), (-67_609, .otherUse), (-67_629, .otherUse),
            (-67_820, .refused(reason: "\u{201C}a\u{201D} is revoked (-67820)")),
            (0, .refused(reason: "\u{201C}a\u{201D} is revoked (0)")),
        ]
    )
    func codes(code: Int, problem: SystemTrustProblem) {
        #expect(SystemTrustProblem(code: code, text: "\u{201C}a\u{201D} is revoked") == problem)
    }

    @Test("A refusal without words has its number") func number() {
        #expect(SystemTrustProblem(code: -67_820, text: nil) == .refused(reason: "-67820"))
    }
}
