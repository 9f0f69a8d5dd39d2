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

    private static let fixedSize = 44
    private static let tail = 4
    private static let version: UInt16 = 0x0101

    /// Computes the response (`ComputeResponse`, MS-NLMP 3.3.2).
    ///
    /// - Throws: `fieldTooLong` when the response does not fit its 16-bit length.
    /// - Complexity: O(*n*) in the size of `targetInfo`; one allocation.
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
        let size = Self.fixedSize + targetInfo.byteCount + Self.tail
        guard size <= NTLMLimits.fieldBytes else {
            throw .fieldTooLong(.ntChallengeResponse, bytes: size, limit: NTLMLimits.fieldBytes)
        }
        var response: [UInt8] = []
        response.reserveCapacity(size)
        // The eight bytes before temp hold the server's challenge first, so that both are hashed in one run; then the
        // proof takes the place of the first sixteen.
        response.append(littleEndian: UInt64(0))
        response.append(littleEndian: serverChallenge)
        response.append(littleEndian: Self.version)
        response.append(littleEndian: UInt16(0))
        response.append(littleEndian: UInt32(0))
        response.append(littleEndian: timestamp.rawValue)
        response.append(littleEndian: clientChallenge)
        response.append(littleEndian: UInt32(0))
        try targetInfo.append(to: &response)
        response.append(littleEndian: UInt32(0))
        let proof = Self.proof(over: response, responseKey: responseKey)
        response.replaceSubrange(0..<Digest16.count, with: proof.bytes)
        bytes = response
    }

    /// Reads a response; anything but NTLMv2 is refused.
    package init(parsing response: Span<UInt8>) throws(MessageError) {
        guard response.count >= Self.fixedSize,
            littleEndianUInt16(in: response, at: Digest16.count) == Self.version,
            let ticks = littleEndianUInt64(in: response, at: 24),
            let challenge = littleEndianUInt64(in: response, at: 32)
        else { throw .notAnNTLMv2Response(bytes: response.count) }
        timestamp = FileTime(rawValue: ticks)
        clientChallenge = challenge
        targetInfo = try TargetInfo(parsing: response.extracting(Self.fixedSize..<response.count))
        bytes = [UInt8](copying: response)
    }

    /// The first 16 bytes: `NTProofStr`.
    package var ntProofStr: [UInt8] { [UInt8](bytes.prefix(Digest16.count)) }

    /// The `NTProofStr` that belongs to the raw bytes behind it, for the server to compare with the one that stands there.
    package func proof(responseKey: borrowing NTOWFv2, serverChallenge: UInt64) -> Digest16 {
        var nonce: [UInt8] = []
        nonce.append(littleEndian: serverChallenge)
        var code = HMACMD5(responseKey.key)
        code.update(nonce.span)
        code.update(bytes.span.extracting(Digest16.count..<bytes.count))
        return code.finalize()
    }

    /// `SessionBaseKey` of MS-NLMP 3.3.2: the proof, hashed once more under the same key.
    package func sessionBaseKey(responseKey: borrowing NTOWFv2) -> Digest16 {
        HMACMD5.authenticate(bytes.span.extracting(0..<Digest16.count), key: responseKey.key)
    }

    /// `LMv2_RESPONSE` (MS-NLMP 2.2.2.4): sixteen bytes of code over both challenges, then the client's challenge.
    package static func lmv2(
        responseKey: borrowing NTOWFv2,
        serverChallenge: UInt64,
        clientChallenge: UInt64
    ) -> [UInt8] {
        var challenges: [UInt8] = []
        challenges.reserveCapacity(lmSize)
        challenges.append(littleEndian: serverChallenge)
        challenges.append(littleEndian: clientChallenge)
        var response = HMACMD5.authenticate(challenges.span, key: responseKey.key).bytes
        response.append(littleEndian: clientChallenge)
        return response
    }

    /// What stands in `LmChallengeResponse` when the response carries the server's clock (MS-NLMP 3.1.5.1.2).
    package static var emptyLM: [UInt8] { [UInt8](repeating: 0, count: lmSize) }

    private static let lmSize = 24

    private static func proof(over response: [UInt8], responseKey: borrowing NTOWFv2) -> Digest16 {
        HMACMD5.authenticate(response.span.extracting((Digest16.count - 8)..<response.count), key: responseKey.key)
    }
}
