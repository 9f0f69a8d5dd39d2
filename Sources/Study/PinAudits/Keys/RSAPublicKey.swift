package import BigInt
internal import SPKIPins
internal import WireFormat

/// An RSA public key (RFC 8017 3.1); reading it does not check its strength.
package struct RSAPublicKey: Equatable, Sendable {
    /// n.
    package let modulus: BigUInt
    /// The public exponent, mostly 65,537.
    package let exponent: BigUInt

    /// Puts two numbers together.
    package init(modulus: BigUInt, exponent: BigUInt) {
        self.modulus = modulus
        self.exponent = exponent
    }

    /// Reads RSAPublicKey (RFC 8017 A.1.1) from the contents of the bit string at `key`.
    init(reading key: Range<Int>, in bytes: Span<UInt8>) throws(PublicKeyError) {
        guard bytes[key.lowerBound] == 0 else { throw .unusedBits(offset: key.lowerBound) }
        let integers: (modulus: DERElement, exponent: DERElement)
        do throws(CertificateError) {
            var reader = DERReader(over: key.dropFirst())
            let sequence = try reader.readElement(DERTag.sequence, in: bytes)
            try reader.finish()
            var fields = DERReader(over: sequence.contents)
            let modulus = try fields.readElement(DERTag.integer, in: bytes)
            integers = (modulus, try fields.readElement(DERTag.integer, in: bytes))
            try fields.finish()
        } catch {
            throw .malformed(error)
        }
        modulus = try Self.number(integers.modulus, in: bytes)
        exponent = try Self.number(integers.exponent, in: bytes)
    }

    private static func number(_ integer: DERElement, in bytes: Span<UInt8>) throws(PublicKeyError) -> BigUInt {
        let range = integer.contents
        // X.690 8.3.2: the first nine bits are neither all set nor all clear; a set first bit is a minus sign.
        guard let first = range.first, bytes[first] < 0x80,
            range.count == 1 || bytes[first] != 0 || bytes[first + 1] >= 0x80
        else { throw .invalidInteger(offset: integer.start) }
        let limit = PublicKeyMaterial.mostIntegerBytes
        let size = bytes[first] == 0 ? range.count - 1 : range.count
        guard size <= limit else { throw .integerTooLarge(offset: integer.start, bytes: size, limit: limit) }
        return unsignedInteger(bytes, range)
    }
}

/// The number that `range` spells, most significant byte first.
func unsignedInteger(_ bytes: Span<UInt8>, _ range: Range<Int>) -> BigUInt {
    var words: [UInt] = []
    words.reserveCapacity((range.count + 7) / 8)
    var end = range.upperBound
    while end > range.lowerBound {
        let start = max(range.lowerBound, end - 8)
        var word: UInt = 0
        for offset in start..<end { word = word << 8 | UInt(bytes[offset]) }
        words.append(word)
        end = start
    }
    return BigUInt(words: words)
}
