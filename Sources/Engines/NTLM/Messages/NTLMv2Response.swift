internal import InsecureDigests
internal import WireFormat

/// A copy of the fields of an NTLMv2 response (`NTLMv2_RESPONSE` with `NTLMv2_CLIENT_CHALLENGE`, MS-NLMP 2.2.2.8 and
/// 2.2.2.7), for programs that show or compare messages. Handshakes use ``NTLMv2ResponseLayout``, which copies nothing.
///
/// ```
/// 0           16  17  18    24          32               40    44            n−4
/// ┌───────────┬───┬───┬─────┬───────────┬────────────────┬─────┬──────────────┬─────┐
/// │NTProofStr │ 1 │ 1 │Z(6) │ timestamp │client challenge│Z(4) │ AV_PAIRs, EOL│Z(4) │
/// └───────────┴───┴───┴─────┴───────────┴────────────────┴─────┴──────────────┴─────┘
///             └────────────────────────── temp ─────────────────────────────────────┘
/// ```
package struct NTLMv2Response: Equatable, Sendable {
    /// The whole response: the contents of `NtChallengeResponse`.
    package let bytes: [UInt8]
    package let timestamp: FileTime
    /// Eight bytes, least significant first.
    package let clientChallenge: UInt64
    package let targetInfo: TargetInfo

    /// Reads a response.
    ///
    /// - Throws: `notAnNTLMv2Response` for every other kind of response.
    package init(parsing response: Span<UInt8>) throws(MessageError) {
        let layout = try NTLMv2ResponseLayout(0..<response.count, in: response)
        timestamp = layout.timestamp
        clientChallenge = layout.clientChallenge
        targetInfo = try TargetInfo(parsing: response.extracting(layout.attributes))
        bytes = [UInt8](copying: response)
    }

    /// The first 16 bytes: `NTProofStr`.
    package var ntProofStr: [UInt8] { [UInt8](bytes.prefix(Digest16.count)) }
}
