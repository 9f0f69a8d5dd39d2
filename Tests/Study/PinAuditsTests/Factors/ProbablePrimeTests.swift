import BigInt
import Testing

@testable import PinAudits

@Suite struct ProbablePrimeTests {
    @Test("Exponents of Mersenne primes (OEIS A000043) give primes, the primes between them give none")
    func mersenneNumbers() {
        let exponents: Set<Int> = [2, 3, 5, 7, 13, 17, 19, 31, 61, 89, 107, 127, 521, 607, 1279, 2203]
        let candidates = [
            2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 61, 67, 89, 107, 127, 257, 521, 523, 607, 1279, 2203, 2207,
        ]
        for exponent in candidates {
            #expect(ProbablePrime.isOne((BigUInt(1) << exponent) - 1) == exponents.contains(exponent), "\(exponent)")
        }
    }

    @Test func smallNumbersAsTrialDivisionSays() {
        for number in 0..<3000 {
            let isPrime =
                number > 1 && (2..<max(2, number)).prefix { $0 * $0 <= number }.allSatisfy { number % $0 != 0 }
            #expect(ProbablePrime.isOne(BigUInt(number)) == isPrime, "\(number)")
        }
    }

    @Test("Composite numbers that pass for base 2 (OEIS A001262, A014233) fail for others")
    func strongPseudoprimes() {
        for number in ["2047", "486737", "3215031751", "3825123056546413051", "318665857834031151167461"] {
            #expect(BigUInt(number).map(ProbablePrime.isOne) == false, "\(number)")
        }
    }
}
