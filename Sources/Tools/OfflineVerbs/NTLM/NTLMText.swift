internal import NTLM
internal import Negotiate
internal import WireFormat

/// A message of NTLM or a token of Negotiate as in a header field: base64, with or without the name of its scheme.
struct NTLMText {
    let bytes: [UInt8]

    /// The most characters of a text: the longest token in base64, line breaks, and a scheme.
    static let longestText = longestToken + longestToken / shortestLine * 3 + 16

    private static let longestToken = (max(NTLMLimits.messageBytes, NegotiationLimits.tokenBytes) + 2) / 3 * 4
    /// Digits in the shortest accepted line of wrapped base64; RFC 7468 uses 64, RFC 2045 uses 76.
    private static let shortestLine = 16

    /// Reads a token.
    ///
    /// The alphabet is the standard one or that of URLs, but not both in one text. The padding is complete or absent.
    /// The token may be wrapped into lines of one length, with blanks at their ends. Other blanks inside, stray bits
    /// and anything after the token are errors.
    init(parsing text: String) throws(NTLMTextError) {
        guard text.utf8.count <= Self.longestText else {
            throw .tooLong(characters: text.utf8.count, limit: Self.longestText)
        }
        var digits = try Self.unwrapped(Self.withoutScheme([UInt8](text.utf8)))
        guard !digits.isEmpty else { throw .empty }
        let isStandard = digits.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
        let isForURLs = digits.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        guard !(isStandard && isForURLs) else { throw .mixedAlphabets }
        for index in digits.indices {
            switch digits[index] {
            case UInt8(ascii: "-"): digits[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): digits[index] = UInt8(ascii: "/")
            default: break
            }
        }
        if digits.last != UInt8(ascii: "="), digits.count % 4 > 1 {
            digits += repeatElement(UInt8(ascii: "="), count: 4 - digits.count % 4)
        }
        do { bytes = try Base64.decode(digits.span) } catch { throw .base64(error) }
    }

    /// The text on standard input without its last line ending. Reads a little more than the longest token, so that a
    /// longer text is refused.
    static func readText() throws(InputError) -> String {
        var buffer = [UInt8](repeating: 0, count: longestText + 3)
        var count = 0
        while count < buffer.count {
            let got = try StandardInput.read(into: &buffer, from: count)
            if got == 0 { break }
            count += got
        }
        while count > 0, [UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(buffer[count - 1]) { count -= 1 }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// The text after the scheme, or the whole text if it has no scheme.
    private static func withoutScheme(_ text: [UInt8]) -> ArraySlice<UInt8> {
        let token = text.drop { isBlank($0) || $0 == lineFeed }
        let end = token.firstIndex { isBlank($0) || $0 == lineFeed } ?? token.endIndex
        let scheme = String(decoding: token[..<end], as: UTF8.self).lowercased()
        return ["ntlm", "negotiate"].contains(scheme) ? token[end...] : token
    }

    /// Joins the lines of `text`, without the blanks at their ends.
    ///
    /// Two messages on two lines are not one wrapped message: all lines but the first, which a scheme may have shortened,
    /// and the last have one length, and only the first begins a message.
    private static func unwrapped(_ text: ArraySlice<UInt8>) throws(NTLMTextError) -> [UInt8] {
        let lines = text.split(separator: lineFeed).map(trimmed).filter { !$0.isEmpty }
        guard let last = lines.last else { return [] }
        guard lines.count > 1 else { return Array(last) }
        let width = lines.count > 2 ? lines[1].count : lines[0].count
        let isWrapped =
            lines.dropFirst().dropLast().allSatisfy { $0.count == width } && lines[0].count <= width
            && last.count <= width && width >= shortestLine
        let beginsAnother = lines.dropFirst().contains { $0.starts(with: "TlRMTVNTU".utf8) }
        guard isWrapped, !beginsAnother else { throw .unevenLines }
        return Array(lines.joined())
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line.drop(while: isBlank)
        while let character = line.last, isBlank(character) { line.removeLast() }
        return line
    }

    private static let lineFeed = UInt8(ascii: "\n")

    private static func isBlank(_ character: UInt8) -> Bool {
        character == UInt8(ascii: " ") || character == UInt8(ascii: "\t") || character == UInt8(ascii: "\r")
    }
}

/// Why a text is not a token.
enum NTLMTextError: Error, Equatable {
    case empty
    case unevenLines
    case tooLong(characters: Int, limit: Int)
    case mixedAlphabets
    case base64(Base64Error)
}

extension NTLMTextError: CustomStringConvertible {
    /// One line: the problem and the remedy.
    var description: String {
        switch self {
        case .empty: "the token is empty: give the base64 that follows NTLM or Negotiate"
        case .unevenLines: "these lines are not one wrapped token, or are shorter than 16 digits: give one token"
        case .tooLong(let characters, let limit):
            "a token of \(characters) characters: at most \(limit) are accepted; copy it again"
        case .mixedAlphabets: "the token mixes two base64 alphabets, + or / with - or _: copy it again"
        case .base64(let error): "\(error)"
        }
    }
}
