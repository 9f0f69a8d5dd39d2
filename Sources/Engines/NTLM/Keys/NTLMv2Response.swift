package import InsecureDigests
internal import WireFormat

/// The proof of NTLMv2 (`NTLMv2_RESPONSE` with `NTLMv2_CLIENT_CHALLENGE`, MS-NLMP 2.2.2.8 and 2.2.2.7).
///
/// ```
/// 0           16  17  18    24          32               40    44            n−4
/// ┌───────────┬───┬───┬─────┬───────────┬────────────────┬─────┬──────────────┬─────┐
/// │NTProofStr │ 1 │ 1 │Z(6) │ timestamp │client challenge│Z(4) │ AV_PAIRs, EOL│Z(4) │
/// └───────────┴───┴───┴─────┴───────────┴────────────────┴─────┴──────────────┴─────┘
///             └────────────────────────── temp ─────────────────────────────────────┘
/// ```
package struct NTLMv2Response: Equatable, Sendable {
    /// The whole of it, as it goes into `NtChallengeResponse`.
    package let bytes: [UInt8]
    package let timestamp: FileTime
    /// Eight bytes, least significant first.
    package let clientChallenge: UInt64
    package let targetInfo: TargetInfo

    private static let tail = 4

    /// Computes the response (`ComputeResponse`, MS-NLMP 3.3.2).
    ///
    /// - Throws: `fieldTooLong` when the response does not fit its 16-bit length.
    /// - Complexity: O(*n*) in the size of `targetInfo`; two allocations.
    package init(
        responseKey: borrowing NTOWFv2,
        serverChallenge: UInt64,
        clientChallenge: UInt64,
        timestamp: FileTime,
        targetInfo: TargetInfo
    ) throws(MessageError) {
        self.timestamp = timestamp
        self.clientChallenge = clientChallenge
        self.targetInfo = targetInfo
        var attributes: [UInt8] = []
        try targetInfo.append(to: &attributes)
        let count = Self.byteCount(attributes: attributes.count)
        guard count <= NTLMLimits.fieldBytes else {
            throw .fieldTooLong(.ntChallengeResponse, bytes: count, limit: NTLMLimits.fieldBytes)
        }
        var response = ByteWriter.filling(count: count) { writer in
            Self.write(
                into: &writer,
                serverChallenge: serverChallenge,
                clientChallenge: clientChallenge,
                timestamp: timestamp
            ) { $0.put(attributes.span) }
        }
        let proof = Self.proof(over: response, responseKey: responseKey)
        response.replaceSubrange(0..<Digest16.count, with: proof.bytes)
        bytes = response
    }

    /// Reads a response; anything but NTLMv2 is refused.
    package init(parsing response: Span<UInt8>) throws(MessageError) {
        let layout = try NTLMv2ResponseLayout(0..<response.count, in: response)
        timestamp = layout.timestamp
        clientChallenge = layout.clientChallenge
        targetInfo = try TargetInfo(parsing: response.extracting(layout.attributes))
        bytes = [UInt8](copying: response)
    }

    /// The first 16 bytes: `NTProofStr`.
    package var ntProofStr: [UInt8] { [UInt8](bytes.prefix(Digest16.count)) }

    private static func proof(over response: [UInt8], responseKey: borrowing NTOWFv2) -> Digest16 {
        HMACMD5.authenticate(response.span.extracting(hashed(at: 0, count: response.count)), key: responseKey.key)
    }

    /// Writes everything of a response but its attributes, which `attributes` writes: the server's challenge stands in
    /// the eight bytes before temp, so that both can be hashed in one run before the proof takes the first sixteen.
    static func write(
        into writer: inout ByteWriter,
        serverChallenge: UInt64,
        clientChallenge: UInt64,
        timestamp: FileTime,
        attributes: (inout ByteWriter) -> Void
    ) {
        writer.put(littleEndian: UInt64(0))
        writer.put(littleEndian: serverChallenge)
        writer.put(littleEndian: NTLMv2ResponseLayout.version)
        writer.put(littleEndian: UInt16(0))
        writer.put(littleEndian: UInt32(0))
        writer.put(littleEndian: timestamp.rawValue)
        writer.put(littleEndian: clientChallenge)
        writer.put(littleEndian: UInt32(0))
        attributes(&writer)
        writer.put(littleEndian: UInt32(0))
    }

    /// What is hashed of a response that ``write(into:serverChallenge:clientChallenge:timestamp:attributes:)`` wrote at
    /// `offset`.
    static func hashed(at offset: Int, count: Int) -> Range<Int> { (offset + Digest16.count - 8)..<(offset + count) }

    /// How many bytes a response has with `attributes` bytes of attributes, `MsvAvEOL` included.
    static func byteCount(attributes: Int) -> Int { NTLMv2ResponseLayout.fixedSize + attributes + tail }

    /// `SessionBaseKey` of MS-NLMP 3.3.2: the proof, hashed once more under the same key.
    package static func sessionBaseKey(proof: Digest16, responseKey: borrowing NTOWFv2) -> Digest16 {
        proof.withBytes { HMACMD5.authenticate($0, key: responseKey.key) }
    }

    /// The first 16 bytes of an `LMv2_RESPONSE` (MS-NLMP 2.2.2.4): a code over both challenges. The client's follows.
    package static func lmv2(responseKey: borrowing NTOWFv2, serverChallenge: UInt64, clientChallenge: UInt64)
        -> Digest16
    {
        Digest16(low: serverChallenge, high: clientChallenge).withBytes {
            HMACMD5.authenticate($0, key: responseKey.key)
        }
    }

    /// Bytes in `LmChallengeResponse`: all zeros when the response carries the server's clock (MS-NLMP 3.1.5.1.2).
    static let lmSize = 24
}
