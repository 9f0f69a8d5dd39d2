/// A value of JSON (RFC 8259) whose members keep the order in which they were given.
package enum JSONValue: Sendable {
    case null
    case integer(UInt64)
    case string(String)
    case array([JSONValue])
    case object([(name: String, value: JSONValue)])

    /// A text, or `null`.
    package init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }

    /// On one line, without a line ending.
    package var text: String {
        switch self {
        case .null: "null"
        case .integer(let value): String(value)
        case .string(let value): Self.quoted(value)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String { "\"" + escaped(text) + "\"" }

    /// The text between the quotes. It stays in one line and cannot control a terminal, because texts come from the
    /// network.
    package static func escaped(_ text: String) -> String {
        // Most texts are printable ASCII without quote and backslash; reading Unicode properties is slow.
        let isPlain = text.utf8.allSatisfy { byte in
            byte >= 0x20 && byte < 0x7f && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        if isPlain { return text }
        var quoted = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            default:
                let isPrintable: Bool
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: isPrintable = false
                default: isPrintable = true
                }
                if isPrintable {
                    quoted.unicodeScalars.append(scalar)
                } else {
                    for unit in String(scalar).utf16 { quoted += escape(unit) }
                }
            }
        }
        return quoted
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
