internal import Foundation
internal import WireFormat

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
        case .string(let value): JSONText.quoted(value)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { JSONText.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
        }
    }

    /// A value on one line, its members in the order of their names, with its line ending.
    package static func line(encoding value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Every value is a number, a text, a flag or a container of them: encoding cannot fail.
        let data = (try? encoder.encode(value)) ?? Data()
        return JSONText.escaped(json: data.span) + "\n"
    }
}
