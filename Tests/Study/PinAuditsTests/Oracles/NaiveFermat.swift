import BigInt

/// Fermat's method as it is written down: every a above the root, and a square root of every a² − n.
enum NaiveFermat {
    /// After how many values of a the factors are found; 0 for a square, `nil` after `most`.
    static func steps(factoring modulus: BigUInt, atMost most: Int) -> Int? {
        let root = modulus.squareRoot()
        if root * root == modulus { return 0 }
        for step in 1...most {
            let a = root + BigUInt(step)
            let difference = a * a - modulus
            let b = difference.squareRoot()
            if b * b == difference { return step }
        }
        return nil
    }
}
