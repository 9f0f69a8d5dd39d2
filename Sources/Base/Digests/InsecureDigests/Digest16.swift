internal import CDigestLanes
internal import WireFormat

/// A 16-byte result of MD4, MD5 or HMAC-MD5, held in two integers so that it costs no allocation.
///
/// In NTLM most of these are keys. There is therefore no `==` (compare bytes in constant time instead) and nothing to
/// print. What lives longer than a computation belongs into a `SecretBytes`.
package struct Digest16: BitwiseCopyable, Sendable {
    /// Bytes 0 to 7, the first one least significant.
    package private(set) var low: UInt64
    /// Bytes 8 to 15, byte 8 least significant.
    package private(set) var high: UInt64

    /// How many bytes there are.
    package static let count = 16

    /// Takes over the four words A, B, C, D of a chaining value.
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

    /// Takes over 16 bytes that stand for themselves.
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

    /// Overwrites the value where it stands.
    package mutating func erase() { eraseDigestState(&self) }

    /// The 16 bytes in an array of their own, for what is not secret.
    package var bytes: [UInt8] {
        withBytes { [UInt8](copying: $0) }
    }
}

extension [Digest16] {
    /// Overwrites all of them, and empties the array; another copy of it stays as it is.
    package mutating func erase() {
        // In bounds: the array's own bytes, all at once; one by one, batches would spend more on this than on hashing.
        unsafe withUnsafeMutableBytes { bytes in unsafe sallyport_digest_erase(bytes.baseAddress, bytes.count) }
        self = []
    }
}

extension Digest16: CustomStringConvertible, CustomReflectable {
    /// Says that something is there, and nothing more.
    package var description: String { "<16 bytes>" }

    /// No children: a dump of a key would be the key.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
