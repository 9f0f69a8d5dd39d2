internal import WireFormat

// The parameters of an answer as text. No secret passes through here.

/// The user name (sections 3.4 and 3.4.4): hashed if the server asks for it; in extended notation if it is not
/// ASCII and the server says `charset=UTF-8`; quoted otherwise.
///
/// Without `charset` a name outside ASCII is sent as UTF-8: curl does so, and Apache, Squid and Twisted accept it.
func userParameter(_ user: String, _ challenge: DigestChallenge) throws(ExchangeFailure) -> String {
    if challenge.wantsUserHash {
        let data = [UInt8]("\(user):".utf8) + challenge.encoding.bytes(of: challenge.realm)
        return "username=\"\(String(decoding: challenge.algorithm.hash.digits(of: data.span), as: UTF8.self))\""
    }
    guard challenge.isUTF8, user.utf8.contains(where: { $0 > 0x7F }) else {
        return try quoted("username", challenge.encoding.carrying(utf8: user), orThrow: .userNotRepresentable)
    }
    guard !user.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .userNotRepresentable }
    var encoded = ""
    for byte in user.utf8 {
        // RFC 8187 section 3.2.1: every byte except attr-char is percent-encoded.
        let isPlain = isTokenCharacter(byte) && byte != UInt8(ascii: "%") && !"'*".utf8.contains(byte)
        encoded += isPlain ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.encode([byte].span).uppercased()
    }
    return "username*=UTF-8''\(encoded)"
}

/// A quoted string with escapes, so that `value` cannot end the quote or the field (RFC 9110 section 5.6.4).
func quoted(
    _ name: String,
    _ value: String,
    orThrow failure: ExchangeFailure
) throws(ExchangeFailure) -> String {
    var text = ""
    for scalar in value.unicodeScalars {
        guard scalar.value >= 0x20 || scalar.value == 0x09, scalar.value != 0x7F else { throw failure }
        if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
        text.unicodeScalars.append(scalar)
    }
    return "\(name)=\"\(text)\""
}

/// Appends a request target inside quotes, so that it cannot end the quote or the field.
func append(target: String, to text: inout [UInt8], _ encoding: FieldEncoding) throws(ExchangeFailure) {
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
