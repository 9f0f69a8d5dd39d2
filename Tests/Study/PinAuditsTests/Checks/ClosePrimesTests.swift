import BigInt
import TestSupport
import Testing

@testable import PinAudits

@Suite struct ClosePrimesTests {
    /// (a − b)(a + b) for a b that is found after about so many steps, since √(a² − b²) is about a − b²/2a.
    private static func modulus(_ a: BigUInt, steps: Int) -> BigUInt {
        var b = (2 * a * BigUInt(steps)).squareRoot()
        // One of the two is odd, so that the product is.
        if a % 2 == b % 2 { b += 1 }
        return a * a - b * b
    }

    @Test("Each step is the one in which Fermat's method ends", arguments: Effort.seeds(14, thorough: 48))
    func agreesWithNaiveFermat(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bits = [33, 64, 65, 127, 256, 512, 1024][Int(seed % 7)]
        var found: Set<Int?> = []
        for _ in 0..<(bits > 500 ? 2 : 8) {
            let a = BigUInt.randomInteger(withExactWidth: bits, using: &random)
            let number = Self.modulus(a, steps: Int.random(in: 0...ClosePrimes.mostSteps + 4, using: &random))
            let expected = NaiveFermat.steps(factoring: number, atMost: ClosePrimes.mostSteps)
            #expect(ClosePrimes.steps(factoring: number) == expected)
            found.insert(expected)
        }
        // Random numbers end nowhere near.
        #expect(found.contains { $0 ?? 0 > 0 })
    }

    @Test("The last step counts, and the one behind it does not")
    func lastStep() {
        var random = SeededGenerator(seed: 100)
        var steps: Set<Int?> = []
        for _ in 0..<6 {
            let a = BigUInt.randomInteger(withExactWidth: 256, using: &random)
            for aim in 98...102 {
                let number = Self.modulus(a, steps: aim)
                let found = ClosePrimes.steps(factoring: number)
                #expect(found == NaiveFermat.steps(factoring: number, atMost: ClosePrimes.mostSteps))
                steps.insert(found)
            }
        }
        #expect(steps.contains(ClosePrimes.mostSteps) && steps.contains(nil))
    }
}
