internal import BigInt

/// Primes in a ratio of small numbers, as generators make them that derive one prime from the other: p ≈ q·u/v.
///
/// Then 4uvn = (vp + uq)² − (vp − uq)² is a difference of squares with a small second one, so Fermat's method finds it as it finds close
/// primes, which are the ratio 1:1 (Lehman, Factoring Large Integers, 1974).
enum PrimeRatio {
    /// The largest number of a ratio that is tried.
    static let largest = 10

    /// All ratios u:v in lowest terms with v < u, 2:1 first.
    private static let all: [(u: Int, v: Int)] = (2...largest).flatMap { u in
        (1..<u).filter { greatestCommonDivisor(u, $0) == 1 }.map { (u, $0) }
    }

    private static func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
        other == 0 ? one : greatestCommonDivisor(other, one % other)
    }

    /// The ratio of the primes of an odd `modulus`, or `nil`.
    static func ratio(ofPrimesOf modulus: BigUInt) -> (u: Int, v: Int)? {
        all.first { u, v in
            guard let found = ClosePrimes.differenceOfSquares(of: modulus * BigUInt(4 * u * v)) else { return false }
            // The difference may also split 4uv alone.
            let divisor = (found.a - found.b).greatestCommonDivisor(with: modulus)
            return divisor > 1 && divisor < modulus
        }
    }
}
