internal import InsecureDigests
internal import Secrets
internal import WireFormat

extension NTHash {
    /// Hashes a password that is held as UTF-8 bytes, without making a `String` of it, which nobody could erase.
    ///
    /// - Throws: `passwordNotUTF8`, or `passwordTooLong` above 256 UTF-16 units.
    /// - Complexity: O(*n*); what is allocated on the way is erased on return.
    public init(utf8 password: Span<UInt8>) throws(NTLMKeyError) {
        // No UTF-8 sequence is longer than three bytes a UTF-16 unit, so longer input need not be looked at.
        guard password.count <= 3 * NTLMLimits.passwordUnits else {
            throw .passwordTooLong(units: password.count / 3, limit: NTLMLimits.passwordUnits)
        }
        var bytes = [UInt8](copying: password)
        defer { erase(&bytes) }
        var units: [UInt8] = []
        units.reserveCapacity(2 * password.count)
        defer { erase(&units) }
        let isInvalid = transcode(bytes.makeIterator(), from: UTF8.self, to: UTF16.self, stoppingOnError: true) {
            units.append(littleEndian: $0)
        }
        guard !isInvalid else { throw .passwordNotUTF8 }
        guard units.count / 2 <= NTLMLimits.passwordUnits else {
            throw .passwordTooLong(units: units.count / 2, limit: NTLMLimits.passwordUnits)
        }
        self.init(digest: MD4.hash(units.span))
    }
}
