internal import NTLM
internal import WireFormat

/// A message of NTLM as it stands in a header field: base64, perhaps behind the name of its scheme.
struct NTLMToken {
    let bytes: [UInt8]

    /// Characters of the longest token: 64 KiB in base64, and a scheme before it.
    static let longestText = (NTLMLimits.messageBytes + 2) / 3 * 4 + 16

    /// Reads a token.
    ///
    /// The alphabet may be the standard one or that of URLs, but not both in one text; the padding may be there or
    /// not, but not in part. Spaces inside, stray bits and anything behind the token are errors.
    init(parsing text: String) throws(NTLMTokenError) {
        guard text.utf8.count <= Self.longestText else {
            throw .tooLong(characters: text.utf8.count, limit: Self.longestText)
        }
        var digits = Self.withoutScheme([UInt8](text.utf8))
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

    /// What is behind the scheme and its spaces, without spaces around it.
    private static func withoutScheme(_ text: [UInt8]) -> [UInt8] {
        func isSpace(_ character: UInt8) -> Bool {
            character == UInt8(ascii: " ") || character == UInt8(ascii: "\t")
        }
        let words = text.split(whereSeparator: isSpace)
        guard let first = words.first else { return [] }
        let scheme = String(decoding: first, as: UTF8.self).lowercased()
        let rest = ["ntlm", "negotiate"].contains(scheme) ? words.dropFirst() : words[...]
        // Spaces inside stay there, and are no base64.
        return Array(rest.joined(separator: [UInt8(ascii: " ")]))
    }
}

/// Why a text is no token.
enum NTLMTokenError: Error, Equatable {
    case empty
    case tooLong(characters: Int, limit: Int)
    case mixedAlphabets
    case base64(Base64Error)
}

extension NTLMTokenError: CustomStringConvertible {
    /// One line: what is wrong and what to do.
    var description: String {
        switch self {
        case .empty: "there is no token: give the base64 that stands behind NTLM or Negotiate"
        case .tooLong(let characters, let limit):
            "a token of \(characters) characters: more than \(limit) are not handled; check what was copied"
        case .mixedAlphabets: "the token has digits of two base64 alphabets, + or / beside - or _: copy it again"
        case .base64(let error): "\(error)"
        }
    }
}
