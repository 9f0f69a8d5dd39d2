internal import BigInt

/// A modulus that is a power of one number: an integer root factors it.
///
/// Fermat's method finds squares of large numbers. It does not find cubes, whose two factors p and p² are far apart.
enum PerfectPower {
    /// Bits of the smallest prime that trial division (``SmallPrimes``) has not ruled out.
    private static let leastFactorBits = 17

    /// A number above 1 of which `number` is a power with an exponent above 1, or `nil`.
    ///
    /// - Precondition: trial division found no factor of `number`.
    /// - Complexity: one integer root for each prime exponent up to *b* / 16, *b* the bits of `number`.
    static func root(of number: BigUInt) -> BigUInt? {
        // A power with a composite exponent is also one with each prime factor of that exponent.
        let exponents = (2...max(2, number.bitWidth / (leastFactorBits - 1))).filter(isPrime)
        for exponent in exponents {
            let root = integerRoot(of: number, exponent: exponent)
            if root > 1, root.power(exponent) == number { return root }
        }
        return nil
    }

    /// The largest number whose power is at most `number`, by Newton's method from above.
    private static func integerRoot(of number: BigUInt, exponent: Int) -> BigUInt {
        // 2^⌈bits / exponent⌉ is above the root, so every step goes down until the root is reached.
        var root = BigUInt(1) << ((number.bitWidth + exponent - 1) / exponent)
        while true {
            let next = (root * BigUInt(exponent - 1) + number / root.power(exponent - 1)) / BigUInt(exponent)
            guard next < root else { return root }
            root = next
        }
    }

    private static func isPrime(_ exponent: Int) -> Bool {
        (2..<exponent).prefix { $0 * $0 <= exponent }.allSatisfy { exponent % $0 != 0 }
    }
}
