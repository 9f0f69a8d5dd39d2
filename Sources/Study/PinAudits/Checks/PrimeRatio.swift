internal import BigInt

/// Primes in a ratio of small numbers, as generators make them that derive one prime from the other: p ≈ q·u/v.
///
/// Then 4uvn = (vp + uq)² − (vp − uq)² is a difference of squares with a small second one, so Fermat's method finds it as it finds close
/// primes, which are the ratio 1:1 (Lehman, Factoring Large Integers, 1974). Only the product u·v counts, so one walk serves 5:2 and 10:1.
enum PrimeRatio {
    /// The largest number of a ratio of which all are tried.
    static let largest = 10
    /// The largest power of two, to one, that is tried.
    static let largestPowerOfTwo = 64

    /// The products of all ratios, smallest first.
    private static let products: [Int] = {
        let small = (2...largest).flatMap { u in (1..<u).filter { areCoprime(u, $0) }.map { u * $0 } }
        let powers = (1...largestPowerOfTwo.trailingZeroBitCount).map { 1 << $0 }
        return Set(small + powers).sorted()
    }()

    private static func areCoprime(_ one: Int, _ other: Int) -> Bool {
        var (one, other) = (one, other)
        while other != 0 { (one, other) = (other, one % other) }
        return one == 1
    }

    /// The ratio of the primes of an odd `modulus`, or `nil`.
    static func ratio(ofPrimesOf modulus: BigUInt) -> (u: Int, v: Int)? {
        for product in products {
            guard let found = ClosePrimes.differenceOfSquares(of: modulus * BigUInt(4 * product)) else { continue }
            // The difference may also split 4uv alone.
            let divisor = (found.a - found.b).greatestCommonDivisor(with: modulus)
            if divisor > 1, divisor < modulus {
                return nearest(to: divisor, modulus / divisor, product: product)
            }
        }
        return nil
    }

    /// The ratio u:v with the product u·v that is nearest to that of two primes.
    private static func nearest(to one: BigUInt, _ other: BigUInt, product: Int) -> (u: Int, v: Int) {
        let (large, small) = (max(one, other), min(one, other))
        func distance(_ v: Int) -> BigUInt {
            let (left, right) = (large * BigUInt(v), small * BigUInt(product / v))
            return left > right ? left - right : right - left
        }
        var nearest = 1
        for v in 2..<product where v * v < product && product.isMultiple(of: v) && areCoprime(v, product / v) {
            if distance(v) < distance(nearest) { nearest = v }
        }
        return (product / nearest, nearest)
    }
}
