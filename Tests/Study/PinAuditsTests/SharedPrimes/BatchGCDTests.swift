import BigInt
import TestSupport
import Testing

@testable import PinAudits

@Suite struct BatchGCDTests {
    @Test("The batch finds the same divisors as pairwise comparison", arguments: Effort.seeds(4, thorough: 16))
    func agreesWithPairs(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let factors = (0..<12).map { _ in
            BigUInt.randomInteger(withExactWidth: Int.random(in: 130...700, using: &random), using: &random) | 1
        }
        // Few factors for many moduli, fresh ones beside them, some moduli twice, and lengths of all kinds.
        var moduli = (0..<Int.random(in: 1...70, using: &random)).map { index in
            let fresh = BigUInt.randomInteger(withExactWidth: 200 + 13 * index, using: &random) | 1
            let drawn = factors[Int.random(in: 0..<12, using: &random)]
            switch UInt8.random(in: 0...4, using: &random) {
            case 0: return drawn * factors[Int.random(in: 0..<12, using: &random)]
            case 1: return drawn * fresh
            default: return fresh * (fresh + 2)
            }
        }
        moduli.append(moduli[0])
        #expect(BatchGCD.divisors(of: moduli) == pairwiseDivisors(of: moduli))
    }

    @Test func hasNothingToSayOfNothing() {
        #expect(BatchGCD.divisors(of: []) == [])
        #expect(BatchGCD.divisors(of: [1 << 300 + 1]) == [1])
        #expect(BatchGCD.divisors(of: [0, 1, 6, 15]) == [1, 1, 1, 1])
    }

    @Test("Products through transforms are BigInt's", arguments: UInt64(1)...40)
    func productsAgree(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let a = BigUInt.randomInteger(withMaximumWidth: 1 << (seed % 15), using: &random)
        let b = BigUInt.randomInteger(withMaximumWidth: 1 << (seed / 3), using: &random)
        var arithmetic = LargeProduct()
        #expect(arithmetic.product(a, b) == a * b)
        // All bits set is the most that any digit of a product can come to.
        let most = (BigUInt(1) << (64 * Int(seed))) - 1
        #expect(arithmetic.product(most, most) == most * most)
    }

    @Test("Fractions agree with long division", arguments: UInt64(1)...40)
    func fractionsAgree(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let denominator = BigUInt.randomInteger(withExactWidth: 129 + 97 * Int(seed), using: &random)
        let numerator = BigUInt.randomInteger(lessThan: denominator, using: &random)
        let words = Int.random(in: 1...150, using: &random)
        var arithmetic = LargeProduct()
        let found = BigUInt(words: arithmetic.fraction(numerator, over: denominator, words: words))
        let exact = (numerator << (64 * words)) / denominator
        #expect(found > exact ? found - exact < 8 : exact - found < 8)
    }

    @Test func theTransformStandsOnAPrimitiveRoot() {
        // 7 has the whole order p − 1 = 2³² · 3 · 5 · 17 · 257 · 65537.
        let p = BigUInt(NumberTheoreticTransform.prime)
        let g = BigUInt(NumberTheoreticTransform.generator)
        #expect(g.power(p - 1, modulus: p) == 1)
        for factor: BigUInt in [2, 3, 5, 17, 257, 65_537] { #expect(g.power((p - 1) / factor, modulus: p) != 1) }
    }
}
