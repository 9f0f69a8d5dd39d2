extension DocumentValue {
    /// Reads a property list in its XML form.
    init(propertyList text: [UInt8]) throws(PinFormatError) {
        guard !text.starts(with: "bplist".utf8) else {
            throw .malformed(
                place: wholeText,
                problem: "a binary property list; convert it with 'plutil -convert xml1'"
            )
        }
        let root = try Markup.read(text)
        guard root.name == "plist", root.children.count == 1 else {
            throw .malformed(place: root.place, problem: "expected <plist> with one value in it")
        }
        self = try Self.value(of: root.children[0])
    }

    // Recursion is as deep as elements are nested, which the reader of XML bounds.
    private static func value(of element: Markup) throws(PinFormatError) -> DocumentValue {
        switch element.name {
        case "dict":
            guard element.children.count % 2 == 0 else {
                throw .malformed(place: element.place, problem: "a key without value")
            }
            var object: [String: DocumentValue] = [:]
            for index in stride(from: 0, to: element.children.count, by: 2) {
                let key = element.children[index]
                guard key.name == "key" else { throw .malformed(place: key.place, problem: "expected <key>") }
                let value = try value(of: element.children[index + 1])
                guard object.updateValue(value, forKey: key.text) == nil else {
                    throw .malformed(place: key.place, problem: "the key '\(key.text)' twice")
                }
            }
            return .object(object)
        case "array":
            var array: [DocumentValue] = []
            for child in element.children { array.append(try value(of: child)) }
            return .array(array)
        case "string", "date", "data": return .text(element.trimmed)
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "integer": return Int64(element.trimmed).map(DocumentValue.number) ?? .other
        default: return .other
        }
    }

    /// The XML form; keys are sorted, so that equal documents are equal texts.
    var propertyList: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """ + propertyList(indent: "") + "</plist>\n"
    }

    private func propertyList(indent: String) -> String {
        let inner = indent + "\t"
        switch self {
        case .object(let object):
            let pairs = object.sorted { $0.key < $1.key }.map { key, value in
                "\(inner)<key>\(Markup.escaped(key))</key>\n" + value.propertyList(indent: inner)
            }
            return "\(indent)<dict>\n" + pairs.joined() + "\(indent)</dict>\n"
        case .array(let array):
            return "\(indent)<array>\n" + array.map { $0.propertyList(indent: inner) }.joined() + "\(indent)</array>\n"
        case .text(let text): return "\(indent)<string>\(Markup.escaped(text))</string>\n"
        case .number(let number): return "\(indent)<integer>\(number)</integer>\n"
        case .boolean(let boolean): return "\(indent)<\(boolean)/>\n"
        case .other: return "\(indent)<string></string>\n"
        }
    }
}
