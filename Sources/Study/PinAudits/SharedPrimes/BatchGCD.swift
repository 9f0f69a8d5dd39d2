package import BigInt

/// Which of many RSA moduli have a prime in common with another one.
package enum BatchGCD {
    /// The most steps of progress that a modulus makes.
    static let stepsPerModulus = ReciprocalSumTree.passes + 1

    /// Returns, for each modulus, the greatest common divisor with the product of all others: 1 if they share no prime.
    ///
    /// Equal moduli count once, so that a key that stands there twice shares nothing with itself. Moduli below 2¹²⁸ are
    /// no matter of batches and always give 1.
    ///
    /// - Parameter progress: told how many steps of how many are done, at most `stepsPerModulus` each.
    /// - Complexity: O(*n* log² *n*) in the words of all moduli, by exact transforms.
    package static func divisors(
        of moduli: [BigUInt],
        progress: @escaping (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) -> [BigUInt] {
        var places: [BigUInt: Int] = [:]
        var distinct: [BigUInt] = []
        for modulus in moduli where modulus >= ReciprocalSumTree.smallestModulus && places[modulus] == nil {
            places[modulus] = distinct.count
            distinct.append(modulus)
        }
        let total = stepsPerModulus * distinct.count
        var tree = ReciprocalSumTree(moduli: distinct) { progress($0, total) }
        let residues = tree.residues()
        var divisors: [BigUInt] = []
        divisors.reserveCapacity(distinct.count)
        for (modulus, residue) in zip(distinct, residues) {
            divisors.append(modulus.greatestCommonDivisor(with: residue))
            progress(ReciprocalSumTree.passes * distinct.count + divisors.count, total)
        }
        return moduli.map { modulus in places[modulus].map { divisors[$0] } ?? 1 }
    }
}
