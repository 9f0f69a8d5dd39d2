internal import InsecureDigests

extension NTLMv2ResponseLayout {
    /// Checks that proof and temp fill the response without a gap, and that the attributes end it.
    ///
    /// - Parameters:
    ///   - range: the range of `NtChallengeResponse`.
    ///   - messageCount: the size of the message in bytes.
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(1).
    func brokenInvariant(_ range: Range<Int>, messageCount: Int) -> String? {
        if range.lowerBound < 0 || range.upperBound > messageCount {
            return "the response at \(range) lies outside a message of \(messageCount) bytes"
        }
        if proof.lowerBound != range.lowerBound || proof.count != Digest16.count {
            return "NTProofStr lies at \(proof), not in the first \(Digest16.count) bytes of \(range)"
        }
        if temp != proof.upperBound..<range.upperBound { return "temp at \(temp) does not end the response \(range)" }
        if attributes != (range.lowerBound + Self.fixedSize)..<range.upperBound {
            return "the attributes at \(attributes) do not end the response \(range)"
        }
        return nil
    }
}
