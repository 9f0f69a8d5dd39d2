package import BigInt

/// Which of the moduli that share a prime share it with each other.
package enum PrimePartners {
    /// The upper bound of pairs that are compared. Only moduli that were constructed to share primes need more.
    static let mostComparisons = 4096

    /// Returns, for each modulus, the index of another one that its divisor has a prime in common with.
    ///
    /// Two moduli with one prime, and all further ones with the same, have that prime as their divisor and meet in a
    /// table. A modulus that shares each of its primes has itself as its divisor: it is compared with the others.
    ///
    /// - Parameter shared: moduli, and what `BatchGCD` says that they share; above 1. Equal moduli share nothing with
    ///   each other.
    /// - Returns: `nil` for an index where `mostComparisons` were not enough.
    /// - Complexity: O(*n*), and at most `mostComparisons` greatest common divisors.
    package static func partners(of shared: [(modulus: BigUInt, divisor: BigUInt)]) -> [Int?] {
        var places: [BigUInt: Int] = [:]
        for (index, one) in shared.enumerated() where places[one.modulus] == nil { places[one.modulus] = index }
        let distinct = places.values.sorted()
        var firstOfDivisor: [BigUInt: Int] = [:]
        var partners = [Int?](repeating: nil, count: shared.count)
        for index in distinct {
            guard let first = firstOfDivisor[shared[index].divisor] else {
                firstOfDivisor[shared[index].divisor] = index
                continue
            }
            partners[index] = first
            partners[first] = partners[first] ?? index
        }
        var left = mostComparisons
        for index in distinct where partners[index] == nil {
            for other in distinct where other != index && left > 0 {
                left -= 1
                guard shared[index].divisor.greatestCommonDivisor(with: shared[other].modulus) > 1 else { continue }
                partners[index] = other
                partners[other] = partners[other] ?? index
                break
            }
        }
        return shared.map { one in places[one.modulus].flatMap { partners[$0] } }
    }
}
