/// Writes one JSON object (RFC 8259) on one line, member by member.
package struct JSONLine: Sendable {
    /// The bytes so far, without the closing brace.
    private var bytes: [UInt8] = [UInt8(ascii: "{")]
    private var isFirst = true

    /// An empty object.
    package init() {}

    /// Adds a text, or null.
    package mutating func add(_ name: String, _ text: String?) {
        begin(name)
        if let text { bytes.append(jsonString: text) } else { null() }
    }

    /// Adds a number, or null.
    package mutating func add(_ name: String, _ number: (some FixedWidthInteger)?) {
        begin(name)
        if let number { bytes.append(contentsOf: String(number).utf8) } else { null() }
    }

    /// Adds true or false.
    package mutating func add(_ name: String, _ flag: Bool) {
        begin(name)
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// Adds an object, or null.
    package mutating func add(_ name: String, _ object: JSONLine?) {
        begin(name)
        if let object { bytes.append(contentsOf: object.object) } else { null() }
    }

    /// Adds a list of texts, or null.
    package mutating func add(_ name: String, _ texts: [String]?) {
        begin(name)
        guard let texts else { return null() }
        list(texts) { $1.append(jsonString: $0) }
    }

    /// Adds a list of lists of texts.
    package mutating func add(_ name: String, _ lists: [[String]]) {
        begin(name)
        list(lists) { texts, bytes in
            bytes.append(UInt8(ascii: "["))
            for (index, text) in texts.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes.append(jsonString: text)
            }
            bytes.append(UInt8(ascii: "]"))
        }
    }

    /// Adds a list of objects.
    package mutating func add(_ name: String, _ objects: [JSONLine]) {
        begin(name)
        list(objects) { $1.append(contentsOf: $0.object) }
    }

    /// The object, and a line end.
    package var line: [UInt8] { object + [UInt8(ascii: "\n")] }

    /// The bytes of the object, with its closing brace.
    package var object: [UInt8] { bytes + [UInt8(ascii: "}")] }

    private mutating func begin(_ name: String) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        bytes.append(jsonString: name)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func null() { bytes.append(contentsOf: "null".utf8) }

    private mutating func list<Element>(_ elements: [Element], _ append: (Element, inout [UInt8]) -> Void) {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(element, &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }
}
