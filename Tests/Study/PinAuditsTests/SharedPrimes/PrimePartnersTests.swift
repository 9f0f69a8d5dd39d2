import BigInt
import TestSupport
import Testing

@testable import PinAudits

@Suite struct PrimePartnersTests {
    /// Mersenne primes (OEIS A000043), large enough for any two to make a modulus of a batch.
    private static let primes = [127, 521, 607, 1279, 2203, 2281, 3217].map { (BigUInt(1) << $0) - 1 }

    @Test("Each modulus that shares a prime has a partner with that prime", arguments: Effort.seeds(8, thorough: 40))
    func partnersShare(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let moduli = (0..<Int.random(in: 2...8, using: &random)).map { _ in
            let first = Int.random(in: 0..<Self.primes.count, using: &random)
            let second = Int.random(in: 1..<Self.primes.count, using: &random)
            return Self.primes[first] * Self.primes[(first + second) % Self.primes.count]
        }
        let divisors = BatchGCD.divisors(of: moduli)
        let shared = zip(moduli, divisors).filter { $0.1 > 1 }.map { (modulus: $0, divisor: $1) }
        for (one, partner) in zip(shared, PrimePartners.partners(of: shared)) {
            guard let partner else {
                Issue.record("no partner for \(one.modulus)")
                continue
            }
            let other = shared[partner].modulus
            #expect(other != one.modulus && one.modulus.greatestCommonDivisor(with: other) > 1)
        }
    }

    @Test("Where no table helps, partners may stay unknown", arguments: [(10, true), (100, false)])
    func isBounded(others: Int, isFound: Bool) {
        // Powers of 2 and of 11 have nothing in common, so that each is held against each.
        var shared = (1...others).map { (modulus: BigUInt(2).power($0), divisor: BigUInt(11).power($0)) }
        shared += [(modulus: 3 * 5, divisor: 15), (modulus: 5 * 7, divisor: 35)]
        let partners = PrimePartners.partners(of: shared)
        #expect(partners.suffix(2) == (isFound ? [others + 1, others] : [nil, nil]))
    }
}
