internal import WireFormat

/// A value of JSON as lines for people: a line for each member, indented by depth, without what is `null`.
package enum JSONOutline {
    /// The lines, each with its line ending.
    package static func lines(of value: JSONValue) -> String {
        var text = ""
        append(value, depth: 0, to: &text)
        return text
    }

    private static func append(_ value: JSONValue, depth: Int, to text: inout String) {
        guard case .object(let members) = value else { return }
        let width = members.map { isShort($0.value) ? $0.name.count : 0 }.max() ?? 0
        for (name, value) in members {
            let indentation = String(repeating: "  ", count: depth)
            switch value {
            case .null: continue
            case .object:
                text += "\(indentation)\(name)\n"
                append(value, depth: depth + 1, to: &text)
            case .array(let values):
                text += "\(indentation)\(name)\n"
                for value in values { text += "\(indentation)  \(oneLine(value))\n" }
            case .integer, .string:
                let padding = String(repeating: " ", count: width - name.count)
                text += "\(indentation)\(name)\(padding)  \(oneLine(value))\n"
            }
        }
    }

    private static func isShort(_ value: JSONValue) -> Bool {
        switch value {
        case .integer, .string: true
        case .null, .array, .object: false
        }
    }

    /// A value on one line; the members of an object side by side.
    private static func oneLine(_ value: JSONValue) -> String {
        switch value {
        case .null: "-"
        case .integer(let number): "\(number)"
        case .string(let string): JSONText.escaped(string)
        case .array(let values): values.map(oneLine).joined(separator: ", ")
        case .object(let members): members.map { oneLine($0.value) }.joined(separator: "  ")
        }
    }
}
