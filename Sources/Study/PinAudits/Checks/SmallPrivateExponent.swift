internal import BigInt

/// Wiener's method (1990): a private exponent d below n^¼ / 3 is a denominator among the convergents of e / n.
enum SmallPrivateExponent {
    /// Whether the method finds the private exponent.
    ///
    /// e·d > φ(n), so a small d needs an e of nearly the length of n; all other keys are rejected at once. The
    /// convergents of a long e take milliseconds.
    static func isFound(modulus: BigUInt, exponent: BigUInt) -> Bool {
        let bits = modulus.bitWidth
        guard exponent < modulus, exponent.bitWidth > bits * 3 / 4 - 2 else { return false }
        var (dividend, divisor) = (exponent, modulus)
        var (k, previousK): (BigUInt, BigUInt) = (1, 0)
        var (d, previousD): (BigUInt, BigUInt) = (0, 1)
        // One bit more than the bound, as the bound is not sharp.
        while !divisor.isZero, d.bitWidth <= bits / 4 + 1 {
            let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
            (dividend, divisor) = (divisor, remainder)
            (k, previousK) = (quotient * k + previousK, k)
            (d, previousD) = (quotient * d + previousD, d)
            if factors(modulus, exponent: exponent, k: k, d: d) { return true }
        }
        return false
    }

    /// Whether e·d = 1 + k·φ(n) with a φ(n) that yields two factors.
    private static func factors(_ modulus: BigUInt, exponent: BigUInt, k: BigUInt, d: BigUInt) -> Bool {
        guard !k.isZero, !d.isZero else { return false }
        let (phi, remainder) = (exponent * d - 1).quotientAndRemainder(dividingBy: k)
        guard remainder.isZero, phi < modulus else { return false }
        // p + q = n + 1 − φ(n), and (p − q)² = (p + q)² − 4n
        let sum = modulus + 1 - phi
        let square = sum * sum
        guard square >= modulus << 2 else { return false }
        let difference = square - (modulus << 2)
        let root = difference.squareRoot()
        return root * root == difference
    }
}
