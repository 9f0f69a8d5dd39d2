extension AuthenticateWriter {
    /// Checks that the parts of the planned message follow each other and fit into a message:
    ///
    /// ```
    /// 0            64        72      88                lmOffset      responseOffset  encryptedKeyOffset  byteCount
    /// ┌────────────┬─────────┬───────┬─────────────────┬─────────────┬───────────────┬───────────────────┐
    /// │ fixed part │ version │[code] │ names           │ LM response │ NT response   │ [encrypted key]   │
    /// └────────────┴─────────┴───────┴─────────────────┴─────────────┴───────────────┴───────────────────┘
    /// ```
    ///
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(1).
    func brokenInvariant() -> String? {
        let names = hasCode ? Self.codeOffset + AuthenticateLayout.codeSize : Self.codeOffset
        if lmOffset < names { return "the LM response begins at \(lmOffset), before the end of the fixed part" }
        if responseCount < NTLMv2ResponseLayout.byteCount(attributes: AVPair.headerSize) {
            return "a response of \(responseCount) bytes has no room for MsvAvEOL"
        }
        if responseCount > NTLMLimits.fieldBytes { return "a length of 16 bits cannot express \(responseCount) bytes" }
        if flags.contains(.keyExchange) != exchangesKeys { return "the flags promise a session key that is not sent" }
        let keySize = exchangesKeys ? AuthenticateLayout.sessionKeySize : 0
        if encryptedKeyOffset + keySize != byteCount {
            return "the parts end at \(encryptedKeyOffset + keySize), the message at \(byteCount)"
        }
        return byteCount > NTLMLimits.messageBytes ? "the message has \(byteCount) bytes" : nil
    }
}
