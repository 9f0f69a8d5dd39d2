internal import WireFormat

/// Reads the challenges of one field value (RFC 9110 section 11.6.1).
///
/// A field value is a list of challenges, and the parameters of a challenge are a list too; commas separate both. After
/// a comma, `token =` continues the challenge, and other text starts the next one. A quoted string is one value, so
/// `Digest realm="hello, Basic realm=evil"` is one Digest challenge. A field that cannot be read to its end yields an
/// error and no challenge, because a syntax error of a server must not become an offer of Basic.
package struct ChallengeParser {
    private let text: String
    private let encoding: FieldEncoding
    private var offset = 0
    /// Where the scheme of the challenge that was read last starts and ends.
    private var schemeStart = 0
    private var schemeEnd = 0
    /// Whether a quoted string held a byte above 0x7F.
    private(set) var hasMetNonASCII = false

    init(_ text: String, encoding: FieldEncoding = .utf8) {
        self.text = text
        self.encoding = encoding
    }

    /// Parses the whole of `value`.
    ///
    /// - Complexity: O(*n*) in the bytes of `value`.
    package static func parse(_ value: String) throws(ChallengeError) -> [Challenge] {
        var found: [Challenge] = []
        var parser = ChallengeParser(value)
        if let error = parser.read({ found.append($0) }) { throw error }
        return found
    }

    /// Hands each challenge of the text to `body`. After an error, the challenges that were handed over are void.
    ///
    /// - Complexity: O(*n*) in the bytes of the text; no allocation for challenges that have no parameters.
    mutating func read(_ body: (Challenge) -> Void) -> ChallengeError? {
        let outcome: ChallengeError?? = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            challenges(unsafe Span(_unsafeElements: bytes), body)
        }
        if let outcome { return outcome }
        // A text that is not UTF-8 in one piece, which only other frameworks make.
        let bytes = [UInt8](text.utf8)
        return challenges(bytes.span, body)
    }

    /// The scheme of the challenge that was read last, or that holds the error; `nil` before the first scheme.
    var scheme: AuthenticationScheme? {
        schemeStart < schemeEnd ? AuthenticationScheme(part(schemeStart..<schemeEnd)) : nil
    }

    private mutating func challenges(_ bytes: Span<UInt8>, _ body: (Challenge) -> Void) -> ChallengeError? {
        // In Latin-1 a character above U+007F is one byte of the field and two bytes of the text.
        let limit = encoding == .utf8 ? ChallengeLimits.fieldBytes : 2 * ChallengeLimits.fieldBytes
        guard bytes.count <= limit else { return .tooLong(bytes: bytes.count) }
        skipSeparators(bytes)
        for _ in 0..<ChallengeLimits.challenges where offset < bytes.count {
            do throws(ChallengeError) { body(try challenge(bytes)) } catch { return error }
        }
        return offset < bytes.count ? .tooManyChallenges : nil
    }

    private mutating func challenge(_ bytes: Span<UInt8>) throws(ChallengeError) -> Challenge {
        schemeEnd = schemeStart
        let scheme = try token(bytes)
        (schemeStart, schemeEnd) = (scheme.lowerBound, scheme.upperBound)
        let name = AuthenticationScheme(lowerCase: lowerCaseText(of: scheme, in: bytes))
        let isFollowed = skipBlanks(bytes)
        let end = isFollowed ? endOfToken68(bytes) : nil
        if isFollowed, end == nil {
            // A list of parameters may begin with empty elements: `Basic , realm="x"` (RFC 9110 section 5.6.1.2).
            let afterScheme = offset
            skipSeparators(bytes)
            if let first = parameterName(bytes) {
                let parameters = try parameters(bytes, from: first)
                return Challenge(scheme: name, token68: nil, parameters: parameters, encoding: encoding)
            }
            offset = afterScheme
        }
        let token = end.map { part(offset..<$0) }
        offset = end ?? offset
        try endElement(bytes)
        return Challenge(scheme: name, token68: token, parameters: [], encoding: encoding)
    }

    /// - Parameter first: the name of the first parameter, behind whose "=" the offset is.
    private mutating func parameters(
        _ bytes: Span<UInt8>,
        from first: Range<Int>
    ) throws(ChallengeError) -> [Challenge.Parameter] {
        var found: [Challenge.Parameter] = []
        var next: Range<Int>? = first
        while let range = next {
            guard found.count < ChallengeLimits.parameters else { throw .tooManyParameters }
            let name = lowerCaseText(of: range, in: bytes)
            let isQuoted = offset < bytes.count && bytes[offset] == UInt8(ascii: "\"")
            let value = isQuoted ? try quotedString(bytes) : text(of: try token(bytes), in: bytes)
            guard !found.contains(where: { $0.name == name }) else { throw .duplicateParameter(name: name) }
            found.append(Challenge.Parameter(name: name, value: value))
            try endElement(bytes)
            next = parameterName(bytes)
        }
        return found
    }

    /// Passes over `token BWS "=" BWS`, and returns the place of the token; `nil` if something else is at the offset.
    private mutating func parameterName(_ bytes: Span<UInt8>) -> Range<Int>? {
        var ahead = offset
        while ahead < bytes.count, isTokenCharacter(bytes[ahead]) { ahead += 1 }
        let name = offset..<ahead
        guard !name.isEmpty else { return nil }
        while ahead < bytes.count, isBlank(bytes[ahead]) { ahead += 1 }
        guard ahead < bytes.count, bytes[ahead] == UInt8(ascii: "=") else { return nil }
        offset = ahead + 1
        skipBlanks(bytes)
        return name
    }

    private mutating func token(_ bytes: Span<UInt8>) throws(ChallengeError) -> Range<Int> {
        let start = offset
        while offset < bytes.count, isTokenCharacter(bytes[offset]) { offset += 1 }
        guard offset > start else { throw .tokenExpected(offset: start) }
        return start..<offset
    }

    /// The end of the token68 at the offset; `nil` without a token68, or if other text follows it in the same element.
    private func endOfToken68(_ bytes: Span<UInt8>) -> Int? {
        var ahead = offset
        while ahead < bytes.count, isToken68Character(bytes[ahead]) { ahead += 1 }
        guard ahead > offset else { return nil }
        while ahead < bytes.count, bytes[ahead] == UInt8(ascii: "=") { ahead += 1 }
        var end = ahead
        while end < bytes.count, isBlank(bytes[end]) { end += 1 }
        return end == bytes.count || bytes[end] == UInt8(ascii: ",") ? ahead : nil
    }

    private mutating func quotedString(_ bytes: Span<UInt8>) throws(ChallengeError) -> String {
        let opening = offset
        offset += 1
        var content: [UInt8] = []
        // The bytes between two escapes are copied at once; a string without escapes is not copied.
        var start = offset
        while offset < bytes.count {
            let byte = bytes[offset]
            guard !isControl(byte) else { throw .controlCharacter(offset: offset) }
            if byte > 0x7F { hasMetNonASCII = true }
            offset += 1
            if byte == UInt8(ascii: "\"") {
                let rest = start..<offset - 1
                guard !content.isEmpty else { return text(of: rest, in: bytes) }
                content.append(copying: bytes.extracting(rest))
                return String(decoding: content, as: UTF8.self)
            }
            guard byte == UInt8(ascii: "\\") else { continue }
            guard offset < bytes.count else { break }
            guard !isControl(bytes[offset]) else { throw .controlCharacter(offset: offset) }
            content.append(copying: bytes.extracting(start..<offset - 1))
            content.append(bytes[offset])
            offset += 1
            start = offset
        }
        throw .unterminatedQuote(offset: opening)
    }

    /// A list element ends at a comma or at the end of the field; empty elements are skipped.
    private mutating func endElement(_ bytes: Span<UInt8>) throws(ChallengeError) {
        skipBlanks(bytes)
        guard offset < bytes.count else { return }
        guard bytes[offset] == UInt8(ascii: ",") else { throw .commaExpected(offset: offset) }
        skipSeparators(bytes)
    }

    private mutating func skipSeparators(_ bytes: Span<UInt8>) {
        while offset < bytes.count, isBlank(bytes[offset]) || bytes[offset] == UInt8(ascii: ",") { offset += 1 }
    }

    /// Skips blanks. Returns whether there were any and the text goes on after them.
    @discardableResult
    private mutating func skipBlanks(_ bytes: Span<UInt8>) -> Bool {
        let start = offset
        while offset < bytes.count, isBlank(bytes[offset]) { offset += 1 }
        return offset > start && offset < bytes.count
    }

    private func text(of range: Range<Int>, in bytes: Span<UInt8>) -> String {
        ByteWriter.text(copying: bytes.extracting(range))
    }

    /// The text of a token in lower case. A token is ASCII.
    private func lowerCaseText(of range: Range<Int>, in bytes: Span<UInt8>) -> String {
        let bytes = bytes.extracting(range)
        return ByteWriter.text(count: bytes.count) { text in
            for index in bytes.indices {
                let byte = bytes[index]
                let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
                text.put(byte: isUpper ? byte | 0x20 : byte)
            }
        }
    }

    /// The text of a range of bytes, without a copy.
    private func part(_ range: Range<Int>) -> Substring {
        let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
        return text[start..<text.utf8.index(start, offsetBy: range.count)]
    }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

/// CTL except the horizontal tab, which quoted strings may contain (RFC 9110 section 5.6.4).
private func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

/// `tchar` of RFC 9110 section 5.6.2.
func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"),
        UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
        true
    default: false
    }
}

/// A character of token68 before its padding (RFC 9110 section 11.2).
private func isToken68Character(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-")...UInt8(ascii: "/"), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "+"):
        true
    default: false
    }
}
