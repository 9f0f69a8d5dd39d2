/// One directive of the header of RFC 7469 2.1: a name, and a value that is a token or a quoted text.
struct PinDirective: Equatable {
    /// In lower case.
    let name: String
    /// Without quotes; `nil` for a directive without `=`.
    let value: String?

    /// Whether it is a pin, of which there may be several.
    var isOfPin: Bool { name.hasPrefix("pin-") }

    /// Reads the text between two semicolons; `nil` if it is blank, because directives may be empty.
    init?(_ text: String, at place: String) throws(PinFormatError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        name = Self.trimmed(parts[0]).lowercased()
        guard !name.isEmpty || parts.count > 1 else { return nil }
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isNamePart) else {
            throw .malformed(
                place: place,
                problem: "expected directives between semicolons, as in pin-sha256=\"…\"; max-age=5184000"
            )
        }
        value = parts.count > 1 ? try Self.value(Self.trimmed(parts[1]), of: name, at: place) : nil
    }

    private static func value(
        _ text: Substring,
        of name: String,
        at place: String
    ) throws(PinFormatError) -> String {
        guard text.first == "\"" else {
            guard !text.contains("\""), !text.contains(where: \.isWhitespace) else { throw tooMuch(name, place) }
            return String(text)
        }
        var value = ""
        var isEscaped = false
        var rest = text.dropFirst()
        while let character = rest.popFirst() {
            if isEscaped {
                value.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                guard rest.isEmpty else { throw tooMuch(name, place) }
                return value
            } else {
                value.append(character)
            }
        }
        throw .malformed(place: place, problem: "a quote is not closed")
    }

    private static func tooMuch(_ name: String, _ place: String) -> PinFormatError {
        .malformed(place: place, problem: "text after the value of \(name): a semicolon ends a directive")
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...last]
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
