internal import InsecureDigests
internal import WireFormat

/// Where everything stands in an NTLMv2 response, checked, and nothing of it copied; ``NTLMv2Response`` draws it.
struct NTLMv2ResponseLayout {
    /// `NTProofStr`.
    let proof: Range<Int>
    /// Everything behind it: what it covers, besides the server's challenge.
    let temp: Range<Int>
    let timestamp: FileTime
    /// Eight bytes, least significant first.
    let clientChallenge: UInt64
    /// The attributes and whatever follows them; not walked.
    let attributes: Range<Int>

    static let version: UInt16 = 0x0101
    static let fixedSize = 44

    /// Reads the fixed part of the response that takes `range` of `message`; anything but NTLMv2 is refused.
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
    }
}
