/// Looks for prime factors up to 65 537 by exact division modulo 2⁶⁴.
///
/// Odd primes are multiplied into chunks of at most 64 bits. For a chunk m, running q = (w − c)/m modulo 2⁶⁴, c = ⌊q·m / 2⁶⁴⌋
/// over the words w of a number leaves a c that m divides no better and no worse than the number: two multiplications a word
/// and no division. Four chunks at a time keep the multiplier busy.
enum SmallPrimes {
    /// The largest prime that is looked for.
    static let largest: UInt64 = 65_537

    struct Chunk {
        var product: UInt64 = 1
        var inverse: UInt64 = 1
        var primes: Range<Int>
    }

    struct Prime {
        let value: UInt64
        let inverse: UInt64
        /// A multiple of the prime, and nothing else, comes to at most this when multiplied by the inverse.
        let limit: UInt64
    }

    /// The odd primes in rising order.
    static let primes: [Prime] = {
        var isComposite = [Bool](repeating: false, count: Int(largest) + 1)
        var primes: [Prime] = []
        for value in stride(from: 3, through: Int(largest), by: 2) where !isComposite[value] {
            for multiple in stride(from: value * value, through: Int(largest), by: 2 * value) {
                isComposite[multiple] = true
            }
            let prime = UInt64(value)
            primes.append(Prime(value: prime, inverse: inverse(of: prime), limit: .max / prime))
        }
        return primes
    }()

    /// A multiple of four.
    private static let chunks: [Chunk] = {
        var chunks: [Chunk] = []
        var chunk = Chunk(primes: 0..<0)
        for (index, prime) in primes.enumerated() {
            let (product, overflows) = chunk.product.multipliedReportingOverflow(by: prime.value)
            if overflows {
                chunks.append(chunk)
                chunk = Chunk(product: prime.value, primes: index..<index + 1)
            } else {
                chunk.product = product
                chunk.primes = chunk.primes.lowerBound..<index + 1
            }
        }
        chunks.append(chunk)
        while chunks.count % 4 != 0 { chunks.append(Chunk(primes: primes.count..<primes.count)) }
        return chunks.map { Chunk(product: $0.product, inverse: inverse(of: $0.product), primes: $0.primes) }
    }()

    /// The inverse of an odd number modulo 2⁶⁴, by Newton's iteration; each step doubles the right bits, of which x has three.
    private static func inverse(of odd: UInt64) -> UInt64 {
        var inverse = odd
        for _ in 0..<5 { inverse = inverse &* (2 &- odd &* inverse) }
        return inverse
    }

    /// The smallest prime up to `largest` that divides the number, of which `words` are the least significant first.
    static func factor(of words: [UInt]) -> UInt64? {
        guard let low = words.first, low & 1 == 1 else { return 2 }
        let words = words.span
        let chunks = chunks.span
        var index = 0
        while index < chunks.count {
            let (m0, m1, m2, m3) = (
                chunks[index].product, chunks[index + 1].product, chunks[index + 2].product, chunks[index + 3].product
            )
            let (i0, i1, i2, i3) = (
                chunks[index].inverse, chunks[index + 1].inverse, chunks[index + 2].inverse, chunks[index + 3].inverse
            )
            var (c0, c1, c2, c3): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
            for position in words.indices {
                let word = UInt64(words[position])
                c0 = step(c0, word, m0, i0)
                c1 = step(c1, word, m1, i1)
                c2 = step(c2, word, m2, i2)
                c3 = step(c3, word, m3, i3)
            }
            if let factor = factor(of: c0, in: chunks[index]) ?? factor(of: c1, in: chunks[index + 1])
                ?? factor(of: c2, in: chunks[index + 2]) ?? factor(of: c3, in: chunks[index + 3])
            {
                return factor
            }
            index += 4
        }
        return nil
    }

    @inline(__always)
    private static func step(_ carry: UInt64, _ word: UInt64, _ product: UInt64, _ inverse: UInt64) -> UInt64 {
        let (difference, borrowed) = word.subtractingReportingOverflow(carry)
        let quotient = difference &* inverse
        return quotient.multipliedFullWidth(by: product).high &+ (borrowed ? 1 : 0)
    }

    @inline(__always)
    private static func factor(of remainder: UInt64, in chunk: Chunk) -> UInt64? {
        for index in chunk.primes {
            let prime = primes[index]
            if remainder &* prime.inverse <= prime.limit { return prime.value }
        }
        return nil
    }

    /// What is left of the number after division by `divisor`.
    static func remainder(of words: [UInt], by divisor: UInt) -> UInt {
        var remainder: UInt = 0
        for word in words.reversed() { remainder = divisor.dividingFullWidth((remainder, word)).remainder }
        return remainder
    }
}
