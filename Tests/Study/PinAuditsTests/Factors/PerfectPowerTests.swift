import BigInt
import Testing

@testable import PinAudits

@Suite struct PerfectPowerTests {
    @Test("Powers of known primes (Mersenne, OEIS A000043) have their root, their neighbours have none")
    func powers() {
        for (bits, exponents) in [(17, [2, 3, 5, 30, 120]), (61, [3, 7, 11]), (521, [2, 3, 4]), (1279, [3])] {
            let prime = (BigUInt(1) << bits) - 1
            for exponent in exponents {
                let power = prime.power(exponent)
                let root = PerfectPower.root(of: power)
                #expect(root.map { power % $0 == 0 && $0 < power && $0 > 1 } == true, "\(bits) bits, power \(exponent)")
                #expect(PerfectPower.root(of: power + 2) == nil)
                #expect(PerfectPower.root(of: power - 2) == nil)
            }
        }
    }

    @Test func productsOfDifferentPrimesAreNone() {
        let first = (BigUInt(1) << 607) - 1
        let second = (BigUInt(1) << 521) - 1
        #expect(PerfectPower.root(of: first * second) == nil)
        #expect(PerfectPower.root(of: first * second * second) == nil)
        #expect(PerfectPower.root(of: first) == nil)
    }

    @Test("The cube of a prime is a critical finding") func cube() throws {
        let prime = (BigUInt(1) << 607) - 1
        let key = RSAPublicKey(modulus: prime.power(3), exponent: 65_537)
        #expect(key.weaknesses().contains(.divisor(String(prime))))
        #expect(KeyWeakness.divisor("7").severity == .critical)
    }
}
