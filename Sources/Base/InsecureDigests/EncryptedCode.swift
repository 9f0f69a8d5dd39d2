extension HMACMD5 {
    /// Returns the code of a number and `message`, encrypted with the first bytes of a keystream: the checksum of a signature of NTLM
    /// (MS-NLMP 3.4.4.2).
    ///
    /// - Parameters:
    ///   - number: comes before the message, four bytes, least significant first.
    ///   - key: the key of the code.
    ///   - cipherKey: the key of RC4; `nil` leaves the code as it is.
    /// - Complexity: O(*n*); no allocation. For a message of at most 51 bytes the key schedule of RC4 runs beside the inner digest.
    package static func encryptedCode(
        of message: Span<UInt8>,
        number: UInt32,
        key: Digest16,
        cipherKey: Digest16?
    ) -> Digest16 {
        guard let cipherKey, var blocks = NumberedBlocks(message, number, key) else {
            var code = key.withBytes { HMACMD5(key: $0) }
            Digest16(low: UInt64(number), high: 0).withBytes { code.update($0.extracting(0..<4)) }
            code.update(message)
            let plain = code.finalize()
            return cipherKey.map { RC4.exchange(plain, key: $0) } ?? plain
        }
        defer { blocks.erase() }
        var inner = BlockHash.initialState
        var outer = BlockHash.initialState
        let keystream = blocks.withBytes {
            RC4.exchange(Digest16(low: 0, high: 0), key: cipherKey, beside: &inner, $0, from: 0)
        }
        Compression.md5(&outer, block: &blocks.outerKey)
        let code = outerDigest(of: inner, outerState: outer)
        eraseDigestState(&inner)
        eraseDigestState(&outer)
        return Digest16(low: code.low ^ keystream.low, high: code.high ^ keystream.high)
    }
}

/// The two blocks of the inner digest of a short message: the key with the inner pad, then number, message and padding.
private struct NumberedBlocks {
    private var words = SIMD16<UInt64>()
    /// The key with the outer pad.
    var outerKey: SIMD8<UInt64>

    /// Bytes of the number.
    private static let numberSize = 4
    /// Bytes of a message that fits into one block with number, end bit and length.
    private static let limit = Compression.blockSize - numberSize - 1 - 8

    init?(_ message: Span<UInt8>, _ number: UInt32, _ key: Digest16) {
        guard message.count <= Self.limit else { return nil }
        var padded = key.withBytes { PaddedKey($0) }
        defer { padded.erase() }
        words.lowHalf = padded.padded(0x36).words
        outerKey = padded.padded(0x5c).words
        let start = Compression.blockSize + Self.numberSize
        // In bounds: number, message and end bit fit into the second of two blocks, before the length.
        unsafe withUnsafeMutableBytes(of: &words) { words in
            unsafe words.storeBytes(of: number.littleEndian, toByteOffset: Compression.blockSize, as: UInt32.self)
            unsafe message.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: words[start...]).copyMemory(from: source)
            }
            unsafe words[start + message.count] = 0x80
        }
        words[15] = UInt64(8 * (start + message.count)).littleEndian
    }

    mutating func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        unsafe withUnsafeBytes(of: &words) { bytes in
            // Valid: `words` outlives the closure. Bytes have no invalid bit patterns.
            let span = unsafe Span<UInt8>(_unsafeElements: bytes.bindMemory(to: UInt8.self))
            return body(span)
        }
    }

    mutating func erase() {
        eraseDigestState(&words)
        eraseDigestState(&outerKey)
    }
}
