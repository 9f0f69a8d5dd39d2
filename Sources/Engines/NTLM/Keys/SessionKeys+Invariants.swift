internal import InsecureDigests

extension SessionKeys {
    /// Checks that the keys are those of a finished handshake, and how they relate (MS-NLMP 3.1.5.1.2).
    ///
    /// The comparison does not take constant time, so call this only in an `assert` or a test.
    ///
    /// - Parameter flags: the flags that both ends agreed on.
    /// - Returns: the first broken invariant, or `nil`. The text contains no key.
    /// - Complexity: O(1).
    func brokenInvariant(agreedOn flags: NegotiateFlags) -> String? {
        if holdsNonces { return "the keys are the random numbers of an unfinished handshake" }
        let (base, exported) = (sessionBaseKey, exportedSessionKey)
        if base.low == 0 && base.high == 0 { return "the session base key is zero, as before a handshake" }
        let isSame = base.low == exported.low && base.high == exported.high
        if !flags.exchangesKeys && !isSame { return "without a key exchange, both keys are the same" }
        return nil
    }
}
