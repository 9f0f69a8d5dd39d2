internal import InsecureDigests

/// `$apr1$` of htpasswd: MD5-crypt with another beginning, which the system's crypt does not know.
///
/// Our own, because swift-crypto and the system have none. The steps are those of FreeBSD's MD5-crypt, which OpenSSL's `passwd -apr1` makes too.
enum ApacheHash {
    static let magic = Array("$apr1$".utf8)
    static let mostSaltBytes = 8
    /// Digits of the digest in a hash.
    static let digits = 22
    private static let rounds = 1000
    private static let alphabet = Array("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    /// The bytes of the digest that make four digits each, most significant first; the last byte makes two.
    private static let order = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5]]

    /// The hash in the form of a file, which the caller erases.
    ///
    /// - Complexity: 1,002 digests of MD5, about half a millisecond.
    static func text(of password: Span<UInt8>, salt: [UInt8]) -> [UInt8] {
        var digest = digest(of: password, salt: salt)
        defer { digest.erase() }
        var text = magic + salt + [UInt8(ascii: "$")]
        text.reserveCapacity(text.count + digits)
        func append(_ value: Int, _ count: Int) {
            for index in 0..<count { text.append(alphabet[value >> (6 * index) & 63]) }
        }
        digest.withBytes { bytes in
            for places in order {
                append(Int(bytes[places[0]]) << 16 | Int(bytes[places[1]]) << 8 | Int(bytes[places[2]]), 4)
            }
            append(Int(bytes[11]), 2)
        }
        return text
    }

    private static func digest(of password: Span<UInt8>, salt: [UInt8]) -> Digest16 {
        var inner = MD5()
        inner.update(password)
        inner.update(salt.span)
        inner.update(password)
        var digest = inner.finalize()

        var outer = MD5()
        outer.update(password)
        outer.update(magic.span)
        outer.update(salt.span)
        for start in stride(from: 0, to: password.count, by: 16) {
            digest.withBytes { outer.update($0.extracting(first: min(16, password.count - start))) }
        }
        var length = password.count
        while length > 0 {
            // A zero for each bit that is set, because the first program of this form had erased the digest by then.
            if length.isMultiple(of: 2) { outer.update(password.extracting(first: 1)) } else { outer.update([0].span) }
            length >>= 1
        }
        digest = outer.finalize()

        for round in 0..<rounds {
            var step = MD5()
            if round.isMultiple(of: 2) { digest.withBytes { step.update($0) } } else { step.update(password) }
            if !round.isMultiple(of: 3) { step.update(salt.span) }
            if !round.isMultiple(of: 7) { step.update(password) }
            if round.isMultiple(of: 2) { step.update(password) } else { digest.withBytes { step.update($0) } }
            digest = step.finalize()
        }
        return digest
    }
}
