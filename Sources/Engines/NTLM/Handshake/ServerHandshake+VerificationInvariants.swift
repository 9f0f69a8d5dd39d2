internal import InsecureDigests

extension ServerHandshake.Verification {
    /// Checks that the ranges of proof, temp, code and session key lie inside the AUTHENTICATE and have their sizes.
    ///
    /// - Parameter messageCount: the size of the AUTHENTICATE in bytes.
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(1).
    func brokenInvariant(messageCount: Int) -> String? {
        if proof.count != Digest16.count { return "NTProofStr has \(proof.count) bytes" }
        if temp.lowerBound != proof.upperBound { return "temp does not follow NTProofStr" }
        if temp.upperBound > messageCount { return "temp ends at \(temp.upperBound) of \(messageCount) bytes" }
        if let code {
            if code.count != MessageIntegrityCode.byteCount { return "the code has \(code.count) bytes" }
            if code.upperBound > messageCount { return "the code ends at \(code.upperBound) of \(messageCount) bytes" }
        }
        if client.hasMessageIntegrityCode != (code != nil) { return "the result and the message disagree on the code" }
        if exchangesKeys, encryptedKey.count != SessionKeys.byteCount || encryptedKey.upperBound > messageCount {
            return "the encrypted session key lies at \(encryptedKey) of \(messageCount) bytes"
        }
        return nil
    }
}
