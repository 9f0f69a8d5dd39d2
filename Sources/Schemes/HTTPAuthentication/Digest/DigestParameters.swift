internal import WireFormat

// The parameters of an answer as text. No secret passes through here.

/// The user name (sections 3.4 and 3.4.4): hashed if the server asks for it; in extended notation if it is not
/// ASCII and the server says `charset=UTF-8`; quoted otherwise.
///
/// Without `charset` a name outside ASCII is sent as UTF-8: curl does so, and Apache, Squid and Twisted accept it.
func append(user: String, of challenge: DigestChallenge, to text: inout [UInt8]) throws(ExchangeFailure) {
    if challenge.wantsUserHash {
        let data = [UInt8]("\(user):".utf8) + challenge.encoding.bytes(of: challenge.realm)
        text.append(contentsOf: "username=\"".utf8)
        text.append(contentsOf: challenge.algorithm.hash.digits(of: data.span))
        return text.append(UInt8(ascii: "\""))
    }
    guard challenge.isUTF8, user.utf8.contains(where: { $0 > 0x7F }) else {
        let carried = challenge.encoding.carrying(utf8: user)
        return try append("username", quoted: carried, to: &text, orThrow: .userNotRepresentable)
    }
    guard !user.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .userNotRepresentable }
    var encoded = ""
    for byte in user.utf8 {
        // RFC 8187 section 3.2.1: every byte except attr-char is percent-encoded.
        let isPlain = isTokenCharacter(byte) && byte != UInt8(ascii: "%") && !"'*".utf8.contains(byte)
        encoded += isPlain ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.encode([byte].span).uppercased()
    }
    text.append(contentsOf: "username*=UTF-8''\(encoded)".utf8)
}

/// Appends a parameter whose value is a quoted string with escapes, so that `value` cannot end the quote or the field (RFC 9110
/// section 5.6.4).
func append(
    _ name: String,
    quoted value: String,
    to text: inout [UInt8],
    orThrow failure: ExchangeFailure
) throws(ExchangeFailure) {
    text.append(contentsOf: name.utf8)
    text.append(contentsOf: "=\"".utf8)
    for byte in value.utf8 {
        guard byte >= 0x20 || byte == 0x09, byte != 0x7F else { throw failure }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
        text.append(byte)
    }
    text.append(UInt8(ascii: "\""))
}

/// Appends a request target inside quotes, so that it cannot end the quote or the field.
func append(target: String, to text: inout [UInt8], _ encoding: FieldEncoding) throws(ExchangeFailure) {
    let bytes = target.utf8.span
    if bytes.isPlain { return text.append(copying: bytes) }
    for byte in target.utf8 {
        guard byte >= 0x20 || byte == 0x09, byte != 0x7F else { throw .targetNotRepresentable }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
        guard byte > 0x7F, encoding == .latin1 else {
            text.append(byte)
            continue
        }
        // A text in Latin-1 has one character for each byte, here a character of two bytes in UTF-8.
        text.append(0xC0 | byte >> 6)
        text.append(0x80 | byte & 0x3F)
    }
}

extension Span<UInt8> {
    /// Whether it is ASCII without control characters, quotes and backslashes, as nearly all targets are. Not said of less than eight bytes.
    fileprivate var isPlain: Bool {
        // Eight bytes in a turn; the last turn sees some again. A subtraction of one borrows from a byte that is 0, and so sets its highest bit.
        let each: UInt64 = 0x0101_0101_0101_0101
        func hasZero(_ word: UInt64) -> UInt64 { (word &- each) & ~word }
        var index = 0
        while index < count {
            guard let word = littleEndianUInt64(in: self, at: Swift.min(index, count &- 8)) else { return false }
            let special = hasZero(word ^ each &* 0x22) | hasZero(word ^ each &* 0x5C) | hasZero(word ^ each &* 0x7F)
            let isControl = (word &- each &* 0x20) & ~word
            guard (special | isControl | word) & (each &* 0x80) == 0 else { return false }
            index &+= 8
        }
        return true
    }
}
