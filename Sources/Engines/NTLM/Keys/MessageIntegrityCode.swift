package import InsecureDigests
internal import WireFormat

/// The code over all three messages (`MIC`, MS-NLMP 3.1.5.1.2), which shows tampering with any of them.
package enum MessageIntegrityCode {
    /// How many bytes a code has.
    package static let byteCount = 16

    /// Computes the code over the bytes as they went over the wire; a message that is written anew may differ.
    ///
    /// - Parameters:
    ///   - key: `ExportedSessionKey`, 16 bytes.
    ///   - negotiate: the raw NEGOTIATE.
    ///   - challenge: the raw CHALLENGE.
    ///   - authenticate: the raw AUTHENTICATE, with or without its code in place.
    ///   - offset: where the code stands in `authenticate`; its own bytes count as zeros.
    /// - Returns: the code, or `nil` when `authenticate` ends before the code does.
    /// - Complexity: O(*n*) in the size of all three messages.
    package static func compute(
        key: Span<UInt8>,
        negotiate: Span<UInt8>,
        challenge: Span<UInt8>,
        authenticate: Span<UInt8>,
        offset: Int
    ) -> Digest16? {
        guard offset >= 0, authenticate.count - offset >= byteCount else { return nil }
        var code = HMACMD5(key: key)
        code.update(negotiate)
        code.update(challenge)
        code.update(authenticate.extracting(0..<offset))
        code.updateWithEmptyDigest()
        code.update(authenticate.extracting((offset + byteCount)..<authenticate.count))
        return code.finalize()
    }
}
