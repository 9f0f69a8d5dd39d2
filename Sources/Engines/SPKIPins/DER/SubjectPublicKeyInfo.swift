internal import WireFormat

/// The offsets of a SubjectPublicKeyInfo (RFC 5280 4.1.2.7) and of its two parts.
///
/// ```
/// SEQUENCE                 range: the bytes that a pin is the hash of
///   SEQUENCE               algorithm: identifier and parameters, contents not read
///   BIT STRING             key: one byte that counts unused bits, then the key
/// ```
public struct SubjectPublicKeyInfo: Equatable, Sendable {
    /// The whole element, header included (RFC 7469 2.4).
    public let range: Range<Int>
    /// The contents of the AlgorithmIdentifier.
    public let algorithm: Range<Int>
    /// The contents of the bit string, its count of unused bits included.
    public let key: Range<Int>

    /// Reads the next element, whose parts must fill it exactly.
    ///
    /// The algorithm is not checked: a pin is the hash of bytes, so a key of an unknown algorithm has a pin.
    @inline(__always)
    package init(reading reader: inout DERReader, in bytes: Span<UInt8>) throws(CertificateError) {
        let element = try reader.readElement(DERTag.sequence, in: bytes)
        var parts = DERReader(over: element.contents)
        let algorithm = try parts.readElement(DERTag.sequence, in: bytes)
        let key = try parts.readElement(DERTag.bitString, in: bytes)
        try parts.finish()
        // X.690 8.6.2: the first byte counts the unused bits of the last one, 0 to 7.
        guard let unusedBits = key.contents.first, bytes[unusedBits] <= 7 else {
            throw .invalidBitString(offset: key.start)
        }
        assert(element.start < algorithm.start && algorithm.contents.upperBound <= key.start)
        assert(key.contents.upperBound == element.contents.upperBound)
        self.range = element.range
        self.algorithm = algorithm.contents
        self.key = key.contents
    }
}
