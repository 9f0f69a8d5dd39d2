internal import InsecureDigests
internal import WireFormat

/// Checked positions of the fields of an NTLMv2 response, without a copy; ``NTLMv2Response`` draws the format.
struct NTLMv2ResponseLayout {
    /// `NTProofStr`.
    let proof: Range<Int>
    /// Everything after `NTProofStr`. The proof covers the server's challenge and these bytes.
    let temp: Range<Int>
    let timestamp: FileTime
    /// Eight bytes, least significant first.
    let clientChallenge: UInt64
    /// From the first attribute to the end of the response; the attributes are not checked yet.
    let attributes: Range<Int>

    static let version: UInt16 = 0x0101
    static let fixedSize = 44
    private static let tailSize = 4

    /// Reads the fixed part of the response in `range` of `message`.
    ///
    /// - Throws: `notAnNTLMv2Response` for every other kind of response.
    init(_ range: Range<Int>, in message: Span<UInt8>) throws(MessageError) {
        let start = range.lowerBound
        guard range.count >= Self.fixedSize,
            littleEndianUInt16(in: message, at: start + Digest16.count) == Self.version,
            let ticks = littleEndianUInt64(in: message, at: start + 24),
            let challenge = littleEndianUInt64(in: message, at: start + 32)
        else { throw .notAnNTLMv2Response(bytes: range.count) }
        proof = start..<(start + Digest16.count)
        temp = proof.upperBound..<range.upperBound
        timestamp = FileTime(rawValue: ticks)
        clientChallenge = challenge
        attributes = (start + Self.fixedSize)..<range.upperBound
        assert(brokenInvariant(range, messageCount: message.count) == nil)
    }

    /// The size of a response in bytes.
    ///
    /// - Parameter attributes: bytes of all attributes, `MsvAvEOL` included.
    static func byteCount(attributes: Int) -> Int { fixedSize + attributes + tailSize }

    /// Writes a response, with the server's challenge in the last 8 of the 16 bytes of `NTProofStr`.
    ///
    /// ```
    /// 0        8                 16
    /// ┌────────┬─────────────────┬─────────
    /// │ zeros  │ server challenge│ temp …       NTProofStr = HMAC-MD5(server challenge, temp) replaces bytes 0 to 15
    /// └────────┴─────────────────┴─────────
    ///          └──── hashed ───────────────
    /// ```
    /// The challenge has this place because one HMAC run covers it and temp.
    static func write(
        into writer: inout ByteWriter,
        serverChallenge: UInt64,
        clientChallenge: UInt64,
        timestamp: FileTime,
        attributes: (inout ByteWriter) -> Void
    ) {
        let start = writer.count
        writer.put(littleEndian: UInt64(0))
        writer.put(littleEndian: serverChallenge)
        writer.put(littleEndian: version)
        writer.put(littleEndian: UInt16(0))
        writer.put(littleEndian: UInt32(0))
        writer.put(littleEndian: timestamp.rawValue)
        writer.put(littleEndian: clientChallenge)
        writer.put(littleEndian: UInt32(0))
        assert(writer.count - start == fixedSize)
        attributes(&writer)
        writer.put(littleEndian: UInt32(0))
    }

    /// The bytes that `NTProofStr` covers, in a response that
    /// ``write(into:serverChallenge:clientChallenge:timestamp:attributes:)`` wrote at `offset`.
    static func hashed(at offset: Int, count: Int) -> Range<Int> {
        assert(offset >= 0 && count >= byteCount(attributes: 0))
        return (offset + Digest16.count - 8)..<(offset + count)
    }
}
