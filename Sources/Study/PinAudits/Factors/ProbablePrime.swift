internal import BigInt

/// The strong test of Miller and Rabin: a number that fails it is composite, one that passes it is a prime, or was chosen to
/// pass.
///
/// A modulus of two primes passes for base 2 with a chance that is negligible, so one power is all that a sound key costs.
/// What passes is tried with random bases, of which a composite number passes one in four at most.
enum ProbablePrime {
    /// How many random bases follow base 2: a composite number passes all of them once in 4¹⁰, a million, at most.
    static let randomBases = 10

    /// Whether the number passes for all bases.
    ///
    /// - Complexity: O(*n*³) in the words of the number: 0.13 s for 2048 bits, 1 s for 4096, a minute for 16,384; eleven times that for a
    ///   prime.
    static func isOne(_ number: BigUInt) -> Bool {
        guard number > 3, number.words[0] & 1 == 1 else { return number == 2 || number == 3 }
        return number.isStrongProbablePrime(2)
            && (0..<randomBases).allSatisfy { _ in
                number.isStrongProbablePrime(BigUInt.randomInteger(lessThan: number - 3) + 2)
            }
    }
}
