/// Strings in the text format of GVariant, which `gsettings` prints.
enum GVariantText {
    /// `'a'` or `"a"`; `nil` for another text.
    static func string(_ text: Substring) -> String? {
        var rest = text
        guard let value = string(&rest), rest.isEmpty else { return nil }
        return value
    }

    /// `['a', 'b']`, or `@as []` for none; `nil` for another text.
    static func strings(_ text: Substring) -> [String]? {
        if text == "@as []" { return [] }
        var rest = text
        guard rest.popFirst() == "[" else { return nil }
        var values: [String] = []
        while let value = string(&rest) {
            values.append(value)
            if rest == "]" { return values }
            guard rest.hasPrefix(", ") else { return nil }
            rest = rest.dropFirst(2)
        }
        return nil
    }

    /// Takes a string from the beginning of a text.
    private static func string(_ rest: inout Substring) -> String? {
        guard let quote = rest.popFirst(), quote == "'" || quote == "\"" else { return nil }
        var value = ""
        while let next = rest.popFirst() {
            if next == quote { return value }
            guard next == "\\" else {
                value.append(next)
                continue
            }
            guard let escaped = escape(&rest) else { return nil }
            value.unicodeScalars.append(escaped)
        }
        return nil
    }

    /// What follows a backslash.
    private static func escape(_ rest: inout Substring) -> Unicode.Scalar? {
        switch rest.popFirst() {
        case "a": "\u{7}"
        case "b": "\u{8}"
        case "f": "\u{C}"
        case "n": "\n"
        case "r": "\r"
        case "t": "\t"
        case "v": "\u{B}"
        case "u": scalar(4, &rest)
        case "U": scalar(8, &rest)
        // A quotation mark or a backslash.
        case let other?: other.unicodeScalars.first
        case nil: nil
        }
    }

    private static func scalar(_ digits: Int, _ rest: inout Substring) -> Unicode.Scalar? {
        defer { rest = rest.dropFirst(digits) }
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy(\.isHexDigit) else { return nil }
        return UInt32(text, radix: 16).flatMap(Unicode.Scalar.init)
    }
}
