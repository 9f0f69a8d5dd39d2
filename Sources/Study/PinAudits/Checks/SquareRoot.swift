internal import BigInt

/// The whole part of a square root, a word at a time, as one divides on paper.
///
/// With r the root of the leading words and R what they exceed r² by, the next word of the root is about (R·2⁶⁴ + w) / 2r, and the
/// new R is what that division leaves, less the square of the new word. BigInt's own root and division, which allocate for each
/// step, take thirty times as long.
struct SquareRoot {
    /// The largest number whose square is not above the input.
    let root: BigUInt
    /// Whether the number is a square.
    let isExact: Bool

    init(of number: BigUInt) {
        guard !number.isZero else {
            (root, isExact) = (0, true)
            return
        }
        // An even number of words, of which the highest is at least a quarter of what it can be: then the highest word of the root
        // is at least half. Moduli have that form by themselves.
        let width = (number.bitWidth + 127) & ~127
        let shift = (width - number.bitWidth) & ~1
        let words = [UInt]((shift > 0 ? number << shift : number).words)
        var walk = Walk(words: words)
        for place in (0..<words.count / 2 - 1).reversed() { walk.appendWord(at: place, words) }
        root = BigUInt(words: walk.root) >> (shift / 2)
        isExact = walk.rest.allSatisfy { $0 == 0 }
    }

    /// The words of a root so far, and what is left of the number; least significant first, both.
    private struct Walk {
        /// As many words as the whole root; those that are not known yet are zero.
        var root: [UInt]
        /// One word more than the root has so far.
        var rest: [UInt]

        /// Starts with the root of the two highest words.
        init(words: [UInt]) {
            let count = words.count
            let number = UInt128(words[count - 1]) << 64 | UInt128(words[count - 2])
            // A Double has 53 bits of the root; one step of Newton's has them all, or one too much.
            var first = UInt128(min(Double(words[count - 1]).squareRoot() * 4_294_967_296, 18_446_744_073_709_549_568))
            first = min((first + number / first) / 2, UInt128(UInt.max))
            while first * first > number { first -= 1 }
            let left = number - first * first
            root = [UInt](repeating: 0, count: count / 2)
            root[count / 2 - 1] = UInt(first)
            rest = [UInt(truncatingIfNeeded: left), UInt(truncatingIfNeeded: left >> 64)]
            rest.reserveCapacity(count / 2 + 1)
        }

        /// Finds the word of the root at `place`, of which all above are known.
        mutating func appendWord(at place: Int, _ words: [UInt]) {
            let known = rest.count - 1
            let highest = root[root.count - 1]
            let (upper, lower) = (words[2 * place + 1], words[2 * place])
            // (R·2⁶⁴ + w) / 2, so that r itself is the divisor; the bit that falls off comes back below.
            var carry = upper
            for index in 0...known {
                let word = rest[index]
                rest[index] = carry >> 1 | word << 63
                carry = word
            }
            var digit: UInt = .max
            if rest[known] < highest {
                digit = highest.dividingFullWidth((rest[known], rest[known - 1])).quotient
            }
            // Too large by two at most (Knuth 4.3.1, theorem B).
            if subtract(digit, place, known) {
                repeat { digit &-= 1 } while !addBack(place, known)
            }
            // Twice that, the bit that fell off, and the next word of the number, less the square of the new word.
            carry = upper << 63
            for index in 0...known {
                let word = rest[index]
                rest[index] = word << 1 | carry >> 63
                carry = word
            }
            rest.insert(lower, at: 0)
            root[place] = digit
            if subtractSquare(of: digit) {
                repeat { root[place] &-= 1 } while !addTwiceRoot(place)
            }
        }

        /// Subtracts `digit` times the known root; returns whether more was subtracted than there was.
        private mutating func subtract(_ digit: UInt, _ place: Int, _ known: Int) -> Bool {
            var carry: UInt = 0
            for index in 0..<known {
                let (high, low) = root[place + 1 + index].multipliedFullWidth(by: digit)
                let (sum, overflows) = low.addingReportingOverflow(carry)
                let (difference, borrows) = rest[index].subtractingReportingOverflow(sum)
                rest[index] = difference
                carry = high &+ (overflows ? 1 : 0) &+ (borrows ? 1 : 0)
            }
            let (difference, borrows) = rest[known].subtractingReportingOverflow(carry)
            rest[known] = difference
            return borrows
        }

        /// Adds the known root; returns whether the sum has reached zero from below.
        private mutating func addBack(_ place: Int, _ known: Int) -> Bool {
            var carry: UInt = 0
            for index in 0...known {
                let (sum, overflows) = rest[index].addingReportingOverflow(index < known ? root[place + 1 + index] : 0)
                let (total, again) = sum.addingReportingOverflow(carry)
                rest[index] = total
                carry = overflows || again ? 1 : 0
            }
            return carry == 1
        }

        private mutating func subtractSquare(of digit: UInt) -> Bool {
            let square = digit.multipliedFullWidth(by: digit)
            var borrow = false
            for index in rest.indices {
                let part = index == 0 ? square.low : index == 1 ? square.high : 0
                let (difference, borrows) = rest[index].subtractingReportingOverflow(part)
                let (total, again) = difference.subtractingReportingOverflow(borrow ? 1 : 0)
                rest[index] = total
                borrow = borrows || again
            }
            return borrow
        }

        /// Adds twice the root so far and one: what the rest grows by when the root's last word is one less.
        private mutating func addTwiceRoot(_ place: Int) -> Bool {
            var (carry, above): (UInt, UInt) = (1, 0)
            for index in rest.indices {
                let word = place + index < root.count ? root[place + index] : 0
                let (sum, overflows) = rest[index].addingReportingOverflow(word << 1 | above >> 63)
                let (total, again) = sum.addingReportingOverflow(carry)
                rest[index] = total
                carry = overflows || again ? 1 : 0
                above = word
            }
            return carry == 1
        }
    }
}
