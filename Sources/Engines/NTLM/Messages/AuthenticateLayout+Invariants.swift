extension AuthenticateLayout {
    /// Checks that version, code and fields follow each other inside the message:
    ///
    /// ```
    /// 0            64        72     88
    /// ┌────────────┬─────────┬──────┬─────────┐
    /// │ fixed part │[version]│[code]│ payload │
    /// └────────────┴─────────┴──────┴─────────┘
    /// ```
    ///
    /// - Parameter messageCount: the size of the message in bytes.
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(1).
    func brokenInvariant(messageCount: Int) -> String? {
        var end = Self.fixedSize
        if let version {
            if version != end..<(end + Self.versionSize) { return "the version lies at \(version), not at \(end)" }
            end = version.upperBound
        }
        if let code = messageIntegrityCode {
            if code != end..<(end + Self.codeSize) { return "the code lies at \(code), not at \(end)" }
            end = code.upperBound
        }
        if end > messageCount { return "the part before the payload ends at \(end) of \(messageCount) bytes" }
        return PayloadMap.brokenInvariant(
            of: [
                (.lmChallengeResponse, lmChallengeResponse), (.ntChallengeResponse, ntChallengeResponse),
                (.domainName, domainName), (.userName, userName), (.workstation, workstation),
                (.encryptedRandomSessionKey, encryptedRandomSessionKey),
            ],
            from: end,
            to: messageCount
        )
    }
}
