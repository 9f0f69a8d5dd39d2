internal import Secrets
internal import WireFormat

/// Converts a password from UTF-8 to UTF-16LE without a `String`, because the memory of a `String` cannot be erased.
enum PasswordText {
    /// The most bytes of UTF-8 that can fit, because UTF-8 has at most three bytes for one UTF-16 unit.
    private static let longest = 3 * NTLMLimits.passwordUnits

    /// Appends `password` to `bytes`; `bytes` is unchanged if this throws.
    ///
    /// - Throws: `passwordNotUTF8`, or `passwordTooLong` above 256 UTF-16 units.
    /// - Complexity: O(*n*); temporary buffers are erased on return. The capacity of `bytes` must suffice for two bytes
    ///   for each of `password`, because growth would leave a copy in freed memory.
    static func append(utf8 password: Span<UInt8>, to bytes: inout [UInt8]) throws(NTLMKeyError) {
        guard password.count <= longest else {
            throw .passwordTooLong(units: units(in: password), limit: NTLMLimits.passwordUnits)
        }
        var nonASCII: UInt8 = 0
        for index in password.indices { nonASCII |= password[index] & 0x80 }
        guard nonASCII == 0 else { return try appendBeyondASCII(password, to: &bytes) }
        guard password.count <= NTLMLimits.passwordUnits else {
            throw .passwordTooLong(units: password.count, limit: NTLMLimits.passwordUnits)
        }
        for index in password.indices {
            bytes.append(password[index])
            bytes.append(0)
        }
    }

    /// UTF-16 units of the text: two for each sequence of four bytes, one for each shorter sequence.
    private static func units(in utf8: Span<UInt8>) -> Int {
        var units = 0
        for index in utf8.indices where utf8[index] & 0xc0 != 0x80 { units += utf8[index] >= 0xf0 ? 2 : 1 }
        return units
    }

    @inline(never)
    private static func appendBeyondASCII(
        _ password: Span<UInt8>,
        to bytes: inout [UInt8]
    ) throws(NTLMKeyError) {
        var utf8 = [UInt8](copying: password)
        defer { erase(&utf8) }
        // A separate array, so that no part of a refused password reaches the caller's.
        var units: [UInt8] = []
        units.reserveCapacity(2 * password.count)
        defer { erase(&units) }
        let isInvalid = transcode(utf8.makeIterator(), from: UTF8.self, to: UTF16.self, stoppingOnError: true) {
            units.append(UInt8(truncatingIfNeeded: $0))
            units.append(UInt8(truncatingIfNeeded: $0 >> 8))
        }
        guard !isInvalid else { throw .passwordNotUTF8 }
        assert(units.count <= 2 * password.count, "growth would leave a copy of the password in freed memory")
        guard units.count <= 2 * NTLMLimits.passwordUnits else {
            throw .passwordTooLong(units: units.count / 2, limit: NTLMLimits.passwordUnits)
        }
        assert(units.count % 2 == 0, "a UTF-16 unit has two bytes")
        bytes.append(contentsOf: units)
    }
}
