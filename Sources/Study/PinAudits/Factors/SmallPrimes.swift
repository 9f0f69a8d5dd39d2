/// Looks for prime factors up to 65 537 without a division.
///
/// Odd primes are multiplied into chunks of at most 64 bits. The number is cut into limbs of 57 bits: for a chunk m, it
/// is Σ lᵢ·2⁵⁷ⁱ ≡ Σ lᵢ·(2⁵⁷ⁱ mod m), a product and a sum of two words for each limb, with the powers in a table.
/// Hensel's exact division (q = (w − c)/m modulo 2⁶⁴, c = ⌊q·m / 2⁶⁴⌋) leaves of these two words a c that the primes of
/// the chunk divide no better and no worse.
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

    /// The same power modulo two chunks: they share the reading of a limb.
    struct PowerPair {
        var first: UInt64
        var second: UInt64
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

    /// An even number of chunks; the last one may be empty.
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
        if chunks.count % 2 != 0 { chunks.append(Chunk(primes: primes.count..<primes.count)) }
        return chunks.map { Chunk(product: $0.product, inverse: inverse(of: $0.product), primes: $0.primes) }
    }()

    /// The inverse of an odd number modulo 2⁶⁴, by Newton's iteration; each step doubles the right bits, of which x has
    /// three.
    static func inverse(of odd: UInt64) -> UInt64 {
        var inverse = odd
        for _ in 0..<5 { inverse = inverse &* (2 &- odd &* inverse) }
        return inverse
    }

    private static let limbBits = 57
    /// How many limbs of a number the table of powers is made for: 4096 bits. Up to 128 products of a limb and a power
    /// fit two words.
    private static let tableLimbs = 72

    /// For each two chunks m, 2⁵⁷ⁱ mod m for every i below `tableLimbs`; 950 kB.
    private static let powers: [PowerPair] = {
        var powers: [PowerPair] = []
        powers.reserveCapacity(chunks.count / 2 * tableLimbs)
        for index in stride(from: 0, to: chunks.count, by: 2) {
            let (one, other) = (chunks[index].product, chunks[index + 1].product)
            var power = PowerPair(first: 1 % one, second: 1 % other)
            for _ in 0..<tableLimbs {
                powers.append(power)
                power.first = times2ToLimb(power.first, modulo: one)
                power.second = times2ToLimb(power.second, modulo: other)
            }
        }
        return powers
    }()

    private static func times2ToLimb(_ power: UInt64, modulo product: UInt64) -> UInt64 {
        product.dividingFullWidth((power >> UInt64(64 - limbBits), power << UInt64(limbBits))).remainder
    }

    /// The smallest prime up to `largest` that divides the number, of which `words` are the least significant first.
    static func factor(of words: [UInt]) -> UInt64? {
        guard let low = words.first, low & 1 == 1 else { return 2 }
        let chunks = chunks.span
        let primes = primes.span
        guard words.count * UInt.bitWidth <= tableLimbs * limbBits else {
            let words = words.span
            for index in chunks.indices {
                let remainder = remainder(words, chunks[index])
                if let prime = prime(primes.extracting(chunks[index].primes), dividing: remainder) { return prime }
            }
            return nil
        }
        let limbs = limbs(of: words)
        let table = powers.span
        for pair in 0..<chunks.count / 2 {
            let row = table.extracting(pair * tableLimbs..<pair * tableLimbs + limbs.count)
            let sums = sums(limbs.span, row)
            let (one, other) = (chunks[2 &* pair], chunks[2 &* pair &+ 1])
            let remainders = (reduced(sums.first, one), reduced(sums.second, other))
            if let prime = prime(primes.extracting(one.primes), dividing: remainders.0) { return prime }
            if let prime = prime(primes.extracting(other.primes), dividing: remainders.1) { return prime }
        }
        return nil
    }

    /// The first of a chunk's primes that divides `remainder`.
    @inline(__always)
    private static func prime(_ primes: Span<Prime>, dividing remainder: UInt64) -> UInt64? {
        for index in primes.indices where remainder &* primes[index].inverse <= primes[index].limit {
            return primes[index].value
        }
        return nil
    }

    private static func limbs(of words: [UInt]) -> [UInt64] {
        let count = (words.count * UInt.bitWidth + limbBits - 1) / limbBits
        return (0..<count).map { index in
            let (word, bit) = (index * limbBits).quotientAndRemainder(dividingBy: UInt.bitWidth)
            let next = word + 1 < words.count ? UInt64(words[word + 1]) : 0
            // `>>` and `<<` are smart shifts: a shift by 64 gives 0.
            return (UInt64(words[word]) >> UInt64(bit) | next << UInt64(64 - bit)) & (1 << UInt64(limbBits) - 1)
        }
    }

    /// Numbers that are the number modulo two chunks.
    @inline(__always)
    private static func sums(_ limbs: Span<UInt64>, _ row: Span<PowerPair>) -> (first: UInt128, second: UInt128) {
        precondition(row.count == limbs.count)
        var (first, second): (UInt128, UInt128) = (0, 0)
        for index in limbs.indices {
            let limb = limbs[index]
            let power = row[index]
            first = first &+ UInt128(limb) &* UInt128(power.first)
            second = second &+ UInt128(limb) &* UInt128(power.second)
        }
        return (first, second)
    }

    /// What the primes of the chunk divide if they divide `sum`, in one word.
    @inline(__always)
    private static func reduced(_ sum: UInt128, _ chunk: Chunk) -> UInt64 {
        let carry = step(0, UInt64(truncatingIfNeeded: sum), chunk.product, chunk.inverse)
        return step(carry, UInt64(truncatingIfNeeded: sum >> 64), chunk.product, chunk.inverse)
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
