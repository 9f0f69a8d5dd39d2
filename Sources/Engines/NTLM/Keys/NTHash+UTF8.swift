internal import InsecureDigests
internal import Secrets

extension NTHash {
    /// Hashes a password in UTF-8, without a `String`, because the memory of a `String` cannot be erased.
    ///
    /// - Throws: `passwordNotUTF8`, or `passwordTooLong` above 256 UTF-16 units.
    /// - Complexity: O(*n*); temporary buffers are erased on return.
    public init(utf8 password: Span<UInt8>) throws(NTLMKeyError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * min(password.count, 3 * NTLMLimits.passwordUnits))
        defer { erase(&bytes) }
        try PasswordText.append(utf8: password, to: &bytes)
        assert(bytes.count <= 2 * password.count, "growth would leave a copy of the password in freed memory")
        self.init(digest: MD4.hash(bytes.span))
    }
}
