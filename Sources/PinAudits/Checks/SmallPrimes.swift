/// Looks for prime factors up to 65 537 without a division.
///
/// Odd primes are multiplied into chunks of at most 64 bits. For a chunk m, the number is Σ wᵢ·2⁶⁴ⁱ ≡ Σ wᵢ·(2⁶⁴ⁱ mod m): one
/// independent product a word, with the powers in a table. The sum has three words, and Hensel's exact division (q =
/// (w − c)/m modulo 2⁶⁴, c = ⌊q·m / 2⁶⁴⌋) leaves of these a c that the primes of the chunk divide no better and no worse.
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
        return chunks.map { Chunk(product: $0.product, inverse: inverse(of: $0.product), primes: $0.primes) }
    }()

    /// The inverse of an odd number modulo 2⁶⁴, by Newton's iteration; each step doubles the right bits, of which x has three.
    private static func inverse(of odd: UInt64) -> UInt64 {
        var inverse = odd
        for _ in 0..<5 { inverse = inverse &* (2 &- odd &* inverse) }
        return inverse
    }

    /// How many words of a number the table of powers is made for: 4096 bits.
    private static let tableWords = 64

    /// For each chunk m, 2⁶⁴ⁱ mod m for every i below `tableWords`; 850 kB.
    private static let powers: [UInt64] = {
        var powers: [UInt64] = []
        powers.reserveCapacity(chunks.count * tableWords)
        for chunk in chunks {
            var power: UInt64 = 1 % chunk.product
            for _ in 0..<tableWords {
                powers.append(power)
                power = chunk.product.dividingFullWidth((power, 0)).remainder
            }
        }
        return powers
    }()

    /// The smallest prime up to `largest` that divides the number, of which `words` are the least significant first.
    static func factor(of words: [UInt]) -> UInt64? {
        guard let low = words.first, low & 1 == 1 else { return 2 }
        let words = words.span
        let chunks = chunks.span
        let primes = primes.span
        let isShort = words.count <= tableWords
        let powers = isShort ? powers : []
        for index in chunks.indices {
            let chunk = chunks[index]
            let remainder =
                isShort ? remainder(words, powers.span, from: index &* tableWords, chunk) : remainder(words, chunk)
            for place in chunk.primes {
                let prime = primes[place]
                if remainder &* prime.inverse <= prime.limit { return prime.value }
            }
        }
        return nil
    }

    /// A number that the primes of the chunk divide if they divide the number, by its powers in the table.
    @inline(__always)
    private static func remainder(
        _ words: Span<UInt>,
        _ powers: Span<UInt64>,
        from start: Int,
        _ chunk: Chunk
    ) -> UInt64 {
        // Lower and upper words apart, each in two words: asking for the carry of one word became a jump that nobody guesses.
        var (lower, upper): (UInt128, UInt128) = (0, 0)
        for index in words.indices {
            let product = UInt64(words[index]).multipliedFullWidth(by: powers[start &+ index])
            lower = lower &+ UInt128(product.low)
            upper = upper &+ UInt128(product.high)
        }
        upper = upper &+ lower >> 64
        var carry = step(0, UInt64(truncatingIfNeeded: lower), chunk.product, chunk.inverse)
        carry = step(carry, UInt64(truncatingIfNeeded: upper), chunk.product, chunk.inverse)
        return step(carry, UInt64(truncatingIfNeeded: upper >> 64), chunk.product, chunk.inverse)
    }

    /// The same by Hensel's division alone, for numbers of any length.
    private static func remainder(_ words: Span<UInt>, _ chunk: Chunk) -> UInt64 {
        var carry: UInt64 = 0
        for index in words.indices { carry = step(carry, UInt64(words[index]), chunk.product, chunk.inverse) }
        return carry
    }

    @inline(__always)
    private static func step(_ carry: UInt64, _ word: UInt64, _ product: UInt64, _ inverse: UInt64) -> UInt64 {
        let (difference, borrowed) = word.subtractingReportingOverflow(carry)
        let quotient = difference &* inverse
        return quotient.multipliedFullWidth(by: product).high &+ (borrowed ? 1 : 0)
    }

    /// What is left of the number after division by `divisor`.
    static func remainder(of words: [UInt], by divisor: UInt) -> UInt {
        var remainder: UInt = 0
        for word in words.reversed() { remainder = divisor.dividingFullWidth((remainder, word)).remainder }
        return remainder
    }
}
