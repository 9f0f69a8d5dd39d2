internal import BigInt

/// Fermat's method, a few steps of it: n = a² − b² = (a − b)(a + b) for an a just above √n if the primes are close.
enum ClosePrimes {
    /// How many values of a are tried; careless generators need one or two.
    static let mostSteps = 100

    /// 3 · 5 · 7 ⋯ 53, the product of the first fifteen odd primes: just below 2⁶⁴.
    private static let sieve: UInt = 16_294_579_238_595_022_365
    private static let sievePrimes: [UInt] = [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53]
    /// For each sieve prime, one bit for each residue that a square can have.
    private static let squareMasks: [UInt64] = sievePrimes.map { prime in
        (0..<prime).reduce(0) { $0 | 1 << UInt64($1 * $1 % prime) }
    }

    /// After how many steps the primes of an odd `modulus` are found, or `nil`.
    static func steps(factoring modulus: BigUInt) -> Int? { differenceOfSquares(of: modulus)?.steps }

    /// The first a and b with n = a² − b² that are found within ``mostSteps``, or `nil`.
    ///
    /// a² − n is followed modulo 2⁶⁴ and modulo the sieve; only what may be a square there, one in 180 000, is computed in full.
    static func differenceOfSquares(of modulus: BigUInt) -> (steps: Int, a: BigUInt, b: BigUInt)? {
        let square = SquareRoot(of: modulus)
        if square.isExact { return (0, square.root, 0) }
        let root = square.root + 1
        let rootWords = words(of: root)
        let modulusWords = words(of: modulus)
        // root² − n
        let low = (root: rootWords[0], difference: rootWords[0] &* rootWords[0] &- modulusWords[0])
        let rootResidue = SmallPrimes.remainder(of: rootWords, by: sieve)
        var residue = sieve.dividingFullWidth(rootResidue.multipliedFullWidth(by: rootResidue)).remainder
        residue = modularSum(residue, sieve - SmallPrimes.remainder(of: modulusWords, by: sieve))
        // (a + 1)² − a² = 2a + 1, and that grows by 2
        var growth = modularSum(modularSum(rootResidue, rootResidue), 1)
        for step in 0..<UInt(mostSteps) {
            let difference = low.difference &+ 2 &* low.root &* step &+ step &* step
            if isSquare(modulo64: difference), isSquare(residue: residue) {
                let a = root + BigUInt(step)
                let square = a * a - modulus
                let b = square.squareRoot()
                if b * b == square { return (Int(step) + 1, a, b) }
            }
            residue = modularSum(residue, growth)
            growth = modularSum(growth, 2)
        }
        return nil
    }

    private static func words(of number: BigUInt) -> [UInt] { [UInt](number.words) }

    /// The sum of two residues.
    private static func modularSum(_ a: UInt, _ b: UInt) -> UInt {
        let (sum, carried) = a.addingReportingOverflow(b)
        return carried || sum >= sieve ? sum &- sieve : sum
    }

    private static func isSquare(modulo64 low: UInt) -> Bool {
        // Squares modulo 64 are 0, 1, 4, 9, 16, 17, 25, 33, 36, 41, 49 and 57.
        let mask: UInt64 = 0x0202_0212_0203_0213
        return mask >> UInt64(low & 63) & 1 == 1
    }

    private static func isSquare(residue: UInt) -> Bool {
        for (prime, mask) in zip(sievePrimes, squareMasks) where mask >> UInt64(residue % prime) & 1 == 0 {
            return false
        }
        return true
    }
}
