package import InsecureDigests
internal import WireFormat

/// The message integrity code (`MIC`, MS-NLMP 3.1.5.1.2). It covers all three messages and so detects a change of any.
package enum MessageIntegrityCode {
    /// Bytes in a code.
    package static let byteCount = 16

    /// Computes the code over the bytes that were sent. A message that is parsed and written again may have other
    /// bytes.
    ///
    /// - Parameters:
    ///   - key: `ExportedSessionKey`, 16 bytes.
    ///   - negotiate: the raw NEGOTIATE.
    ///   - challenge: the raw CHALLENGE.
    ///   - authenticate: the raw AUTHENTICATE, with or without its code.
    ///   - offset: offset of the code in `authenticate`; its 16 bytes count as zeros.
    /// - Returns: the code, or `nil` if the code does not fit into `authenticate`.
    /// - Complexity: O(*n*) in the size of all three messages.
    package static func compute(
        key: Span<UInt8>,
        negotiate: Span<UInt8>,
        challenge: Span<UInt8>,
        authenticate: Span<UInt8>,
        offset: Int
    ) -> Digest16? {
        assert(key.count == SessionKeys.byteCount)
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
