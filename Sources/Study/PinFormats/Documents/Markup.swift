/// An element of an XML document, with the parts of XML that configuration files use.
///
/// Entities are the five of XML and numbers. A document type may be named but not defined, so entities cannot expand
/// and files are never fetched. Depth and number of elements are bounded, and the reader does not recurse.
final class Markup {
    /// The deepest nesting.
    static let mostDepth = 64
    /// The most elements.
    static let mostElements = 1 << 20

    let name: String
    let attributes: [String: String]
    let line: Int
    fileprivate(set) var children: [Markup] = []
    /// The text directly inside, without that of its children.
    fileprivate(set) var text = ""

    fileprivate init(name: String, attributes: [String: String], line: Int) {
        self.name = name
        self.attributes = attributes
        self.line = line
    }

    /// Children with this name.
    func children(_ name: String) -> [Markup] { children.filter { $0.name == name } }

    /// The text without blanks around it.
    var trimmed: String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    var place: String { "line \(line), <\(name)>" }
}

extension Markup {
    /// Reads a document and returns its root element.
    static func read(_ text: [UInt8]) throws(PinFormatError) -> Markup {
        var reader = MarkupReader(bytes: text)
        return try reader.document()
    }

    /// `text` with the five characters that XML needs escaped.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&apos;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}

private struct MarkupReader {
    let bytes: [UInt8]
    private var offset = 0
    private var line = 1
    private var elements = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    }

    mutating func document() throws(PinFormatError) -> Markup {
        var open: [Markup] = []
        var root: Markup?
        while offset < bytes.count {
            if bytes[offset] != UInt8(ascii: "<") {
                try text(into: open.last)
            } else if skip("<!--") {
                _ = try read(until: "-->")
            } else if skip("<![CDATA[") {
                let data = try read(until: "]]>")
                guard let top = open.last else { throw error("text outside the root element") }
                top.text += String(decoding: data, as: UTF8.self)
            } else if skip("<!DOCTYPE") {
                guard root == nil, open.isEmpty, !(try read(until: ">").contains(UInt8(ascii: "["))) else {
                    throw error("a document type that defines something; remove it")
                }
            } else if skip("<?") {
                _ = try read(until: "?>")
            } else if skip("</") {
                let name = String(decoding: try read(until: ">"), as: UTF8.self).filter { !$0.isWhitespace }
                guard let top = open.popLast(), top.name == name else {
                    throw error("</\(name.prefix(40))> closes an element that is not open")
                }
            } else {
                offset += 1
                let (element, isEmpty) = try startTag()
                if let top = open.last {
                    top.children.append(element)
                } else {
                    guard root == nil else { throw error("a second root element") }
                    root = element
                }
                if !isEmpty { open.append(element) }
                guard open.count <= Markup.mostDepth else { throw error("nested more than \(Markup.mostDepth) deep") }
            }
        }
        guard let root, open.isEmpty else { throw error("not XML, or cut short") }
        return root
    }

    private func error(_ problem: String) -> PinFormatError { .malformed(place: "line \(line)", problem: problem) }

    private mutating func skip(_ word: String) -> Bool {
        guard bytes[offset...].starts(with: word.utf8) else { return false }
        offset += word.utf8.count
        return true
    }

    /// The bytes before `end`, which is passed over.
    private mutating func read(until end: String) throws(PinFormatError) -> ArraySlice<UInt8> {
        let start = offset
        let first = end.utf8.first ?? 0
        while offset < bytes.count {
            if bytes[offset] == first, bytes[offset...].starts(with: end.utf8) {
                defer { offset += end.utf8.count }
                return bytes[start..<offset]
            }
            if bytes[offset] == UInt8(ascii: "\n") { line += 1 }
            offset += 1
        }
        throw error("cut short: '\(end)' is missing")
    }

    private mutating func text(into element: Markup?) throws(PinFormatError) {
        let start = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "<") {
            if bytes[offset] == UInt8(ascii: "\n") { line += 1 }
            offset += 1
        }
        let text = try unescaped(bytes[start..<offset])
        guard let element else {
            guard text.allSatisfy(\.isWhitespace) else { throw error("text outside the root element") }
            return
        }
        element.text += text
    }

    private mutating func startTag() throws(PinFormatError) -> (Markup, isEmpty: Bool) {
        elements += 1
        guard elements <= Markup.mostElements else { throw error("more than \(Markup.mostElements) elements") }
        let startLine = line
        let name = try self.name()
        var attributes: [String: String] = [:]
        while true {
            skipBlanks()
            guard offset < bytes.count else { throw error("cut short inside a tag") }
            if skip("/>") { return (Markup(name: name, attributes: attributes, line: startLine), true) }
            if skip(">") { return (Markup(name: name, attributes: attributes, line: startLine), false) }
            let key = try self.name()
            skipBlanks()
            guard offset < bytes.count, skip("=") else { throw error("an attribute without value") }
            skipBlanks()
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") || bytes[offset] == UInt8(ascii: "'") else {
                throw error("an attribute's value without quotes")
            }
            let quote = bytes[offset] == UInt8(ascii: "\"") ? "\"" : "'"
            offset += 1
            let value = try unescaped(try read(until: quote))
            guard attributes.updateValue(value, forKey: key) == nil else { throw error("the attribute \(key) twice") }
        }
    }

    private mutating func name() throws(PinFormatError) -> String {
        let start = offset
        while offset < bytes.count, isNameByte(bytes[offset]) { offset += 1 }
        guard offset > start else { throw error("a name is missing after '<' or in a tag") }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"),
            UInt8(ascii: "."):
            true
        default: byte >= 0x80
        }
    }

    private mutating func skipBlanks() {
        while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) {
            if bytes[offset] == UInt8(ascii: "\n") { line += 1 }
            offset += 1
        }
    }

    /// `raw` with its references replaced; each yields one character, so nothing grows.
    private func unescaped(_ raw: ArraySlice<UInt8>) throws(PinFormatError) -> String {
        guard raw.contains(UInt8(ascii: "&")) else { return String(decoding: raw, as: UTF8.self) }
        var result = ""
        var rest = raw
        while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += String(decoding: rest[..<ampersand], as: UTF8.self)
            guard let end = rest[ampersand...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
                throw error("'&' without ';': write &amp;")
            }
            let name = String(decoding: rest[(ampersand + 1)..<end], as: UTF8.self)
            guard let character = Self.character(name) else { throw error("the entity &\(name); is not defined here") }
            result.unicodeScalars.append(character)
            rest = rest[(end + 1)...]
        }
        return result + String(decoding: rest, as: UTF8.self)
    }

    private static func character(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        default:
            if name.hasPrefix("#x") {
                UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
            } else if name.hasPrefix("#") {
                UInt32(name.dropFirst(1)).flatMap(Unicode.Scalar.init)
            } else {
                nil
            }
        }
    }
}
