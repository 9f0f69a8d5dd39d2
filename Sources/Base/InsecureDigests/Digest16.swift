internal import CDigestLanes
internal import WireFormat

/// A 16-byte result of MD4, MD5 or HMAC-MD5, in two integers, so that it needs no allocation.
///
/// In NTLM most of these results are keys. Therefore the type has no `==` (compare the bytes in constant time) and
/// prints nothing. Store a result in `SecretBytes` if it outlives a computation.
package struct Digest16: BitwiseCopyable, Sendable {
    /// Bytes 0 to 7, byte 0 least significant.
    package private(set) var low: UInt64
    /// Bytes 8 to 15, byte 8 least significant.
    package private(set) var high: UInt64

    /// The number of bytes.
    package static let count = 16

    /// Makes a digest from the four words A, B, C, D of a chaining value.
    init(words: SIMD4<UInt32>) {
        low = UInt64(words[0]) | UInt64(words[1]) << 32
        high = UInt64(words[2]) | UInt64(words[3]) << 32
    }

    /// The four words A, B, C, D.
    var words: SIMD4<UInt32> {
        SIMD4(
            UInt32(truncatingIfNeeded: low),
            UInt32(truncatingIfNeeded: low >> 32),
            UInt32(truncatingIfNeeded: high),
            UInt32(truncatingIfNeeded: high >> 32)
        )
    }

    /// Makes a digest from its two integers.
    package init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Reads 16 bytes.
    ///
    /// - Precondition: `bytes.count == 16`.
    package init(copying bytes: Span<UInt8>) {
        precondition(bytes.count == Self.count, "a digest has 16 bytes")
        low = littleEndianUInt64(in: bytes, at: 0) ?? 0
        high = littleEndianUInt64(in: bytes, at: 8) ?? 0
    }

    /// Erases the value in place.
    package mutating func erase() { eraseDigestState(&self) }

    /// The 16 bytes in an array; for values that are not secret.
    package var bytes: [UInt8] {
        withBytes { [UInt8](copying: $0) }
    }
}

extension [Digest16] {
    /// Erases all digests and empties the array; other copies of the array are not erased.
    package mutating func erase() {
        // In bounds: the bytes of the array. All at once, because erasing one by one would take longer than hashing.
        unsafe withUnsafeMutableBytes { bytes in unsafe sallyport_digest_erase(bytes.baseAddress, bytes.count) }
        self = []
    }
}

extension Digest16: CustomStringConvertible, CustomReflectable {
    /// A fixed text, without the contents.
    package var description: String { "<16 bytes>" }

    /// Has no children, so that `dump` does not show a key.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
