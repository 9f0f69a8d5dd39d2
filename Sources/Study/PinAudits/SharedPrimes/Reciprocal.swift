internal import BigInt

extension LargeProduct {
    /// The quotient of two numbers, 0 ≤ `numerator` < `denominator`, as the first `words` words behind the point.
    ///
    /// The last of these words may be wrong by a few units. BigInt's division takes quadratic time; this takes a few products,
    /// by Newton's iteration for the reciprocal, r ← 2r − r²d, in which each step doubles the words that are right.
    mutating func fraction(_ numerator: BigUInt, over denominator: BigUInt, words: Int) -> Words {
        let shift = (64 - denominator.bitWidth % 64) % 64
        let (numerator, denominator) = (numerator << shift, denominator << shift)
        let size = denominator.bitWidth / 64
        let precision = words + 1
        let reciprocal = reciprocal(of: denominator, size: size, precision: precision)
        // reciprocal ≈ B^(precision + size) / denominator, where B = 2⁶⁴
        let quotient = product(numerator, reciprocal) >> (64 * (precision + size - words))
        let found = Words(quotient.words)
        return Words((found + Words(repeating: 0, count: words)).prefix(words))
    }

    /// B^(`precision` + `size`) / `denominator`, right in all but the last word or so.
    private mutating func reciprocal(of denominator: BigUInt, size: Int, precision: Int) -> BigUInt {
        /// The leading words of the denominator, as many as asked for.
        func leading(_ words: Int) -> BigUInt {
            words <= size ? denominator >> (64 * (size - words)) : denominator << (64 * (words - size))
        }
        var right = min(precision, 8)
        // B^(2·right) / leading(right)
        var reciprocal = (BigUInt(1) << (128 * right)) / leading(right)
        while right < precision {
            // One word is given up in each step, so that the errors of truncation never reach the words that count.
            let next = min(2 * right - 1, precision)
            let square = product(reciprocal, reciprocal)
            let correction = product(square, leading(next)) >> (128 * right)
            reciprocal = (reciprocal << (64 * (next - right) + 1)) - correction
            right = next
        }
        // B^(2·precision) / leading(precision) = B^(2·precision) / (denominator · B^(precision − size))
        return reciprocal
    }
}
