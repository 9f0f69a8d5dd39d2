/// Reads the challenges of one field value (RFC 9110 section 11.6.1).
///
/// A field value is a list of challenges, and a challenge is itself a list: the comma separates both. After a comma,
/// `token =` continues the challenge and anything else starts the next one. A quoted string is one value whatever it
/// contains, so `Digest realm="hello, Basic realm=evil"` is a Digest challenge and nothing else. A field that is not
/// understood to its end yields an error and no challenge: a server's typing mistake must not turn into an offer of
/// Basic.
package struct ChallengeParser {
    private let bytes: [UInt8]
    private var offset = 0

    /// Parses the whole of `value`.
    ///
    /// - Complexity: O(*n*) in the bytes of `value`.
    package static func parse(_ value: String) throws(ChallengeError) -> [Challenge] {
        var parser = ChallengeParser(bytes: [UInt8](value.utf8))
        return try parser.challenges()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func challenges() throws(ChallengeError) -> [Challenge] {
        guard bytes.count <= ChallengeLimits.fieldBytes else { throw .tooLong(bytes: bytes.count) }
        var found: [Challenge] = []
        skipSeparators()
        while offset < bytes.count {
            guard found.count < ChallengeLimits.challenges else { throw .tooManyChallenges }
            found.append(try challenge())
        }
        return found
    }

    private mutating func challenge() throws(ChallengeError) -> Challenge {
        let scheme = AuthenticationScheme(try token())
        let isFollowed = skipBlanks() && peek != UInt8(ascii: ",")
        if isFollowed, isParameterAhead(), endOfToken68 == nil {
            return Challenge(scheme: scheme, token: nil, parameters: try parameters())
        }
        let token = isFollowed ? token68() : nil
        try endElement()
        return Challenge(scheme: scheme, token: token, parameters: [])
    }

    private mutating func parameters() throws(ChallengeError) -> [Challenge.Parameter] {
        var found: [Challenge.Parameter] = []
        while isParameterAhead() {
            guard found.count < ChallengeLimits.parameters else { throw .tooManyParameters }
            let name = try token().lowercased()
            skipBlanks()
            offset += 1  // The "=" that isParameterAhead saw.
            skipBlanks()
            let value = peek == UInt8(ascii: "\"") ? try quotedString() : try token()
            guard !found.contains(where: { $0.name == name }) else { throw .duplicateParameter(name: name) }
            found.append(Challenge.Parameter(name: name, value: value))
            try endElement()
        }
        return found
    }

    /// Whether `token BWS "="` stands at the offset.
    private func isParameterAhead() -> Bool {
        var ahead = offset
        while ahead < bytes.count, isTokenCharacter(bytes[ahead]) { ahead += 1 }
        guard ahead > offset else { return false }
        while ahead < bytes.count, isBlank(bytes[ahead]) { ahead += 1 }
        return ahead < bytes.count && bytes[ahead] == UInt8(ascii: "=")
    }

    private mutating func token() throws(ChallengeError) -> String {
        let start = offset
        while let byte = peek, isTokenCharacter(byte) { offset += 1 }
        guard offset > start else { throw .tokenExpected(offset: start) }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// Where the token68 that stands at the offset ends, or `nil` when none does or more follows in its element.
    private var endOfToken68: Int? {
        var ahead = offset
        while ahead < bytes.count, isToken68Character(bytes[ahead]) { ahead += 1 }
        guard ahead > offset else { return nil }
        while ahead < bytes.count, bytes[ahead] == UInt8(ascii: "=") { ahead += 1 }
        var end = ahead
        while end < bytes.count, isBlank(bytes[end]) { end += 1 }
        return end == bytes.count || bytes[end] == UInt8(ascii: ",") ? ahead : nil
    }

    private mutating func token68() -> String? {
        guard let end = endOfToken68 else { return nil }
        defer { offset = end }
        return String(decoding: bytes[offset..<end], as: UTF8.self)
    }

    private mutating func quotedString() throws(ChallengeError) -> String {
        let opening = offset
        offset += 1
        var content: [UInt8] = []
        while let byte = peek {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = peek else { throw .unterminatedQuote(offset: opening) }
                guard !isControl(escaped) else { throw .controlCharacter(offset: offset) }
                content.append(escaped)
                offset += 1
            default:
                guard !isControl(byte) else { throw .controlCharacter(offset: offset - 1) }
                content.append(byte)
            }
        }
        throw .unterminatedQuote(offset: opening)
    }

    /// A list element ends at a comma or at the end of the field; empty elements are skipped.
    private mutating func endElement() throws(ChallengeError) {
        skipBlanks()
        guard let byte = peek else { return }
        guard byte == UInt8(ascii: ",") else { throw .commaExpected(offset: offset) }
        skipSeparators()
    }

    private mutating func skipSeparators() {
        while let byte = peek, isBlank(byte) || byte == UInt8(ascii: ",") { offset += 1 }
    }

    @discardableResult
    private mutating func skipBlanks() -> Bool {
        let start = offset
        while let byte = peek, isBlank(byte) { offset += 1 }
        return offset > start && offset < bytes.count
    }

    private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

/// CTL without the horizontal tab, which a quoted string may hold (RFC 9110 section 5.6.4).
private func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default: false
    }
}

/// `tchar` of RFC 9110 section 5.6.2.
func isTokenCharacter(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
}

private func isToken68Character(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || "-._~+/".utf8.contains(byte)
}
