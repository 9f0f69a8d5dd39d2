internal import SPKIPins
internal import WireFormat

/// The definitions of the key names in Chromium's list of pins: the lines of its second file,
/// `transport_security_state_static.pins`, each after `//` in the list itself.
///
/// ```
/// // Pin_77aab346…          a name: a capital, then letters, digits and underscores
/// // sha256/d6qzRu9z…       the pin; or a certificate or a public key in PEM, over several lines
/// ```
///
/// Lines that are neither are comments; so are those that begin with `#`.
struct ChromiumKeyNames {
    static let file = "transport_security_state_static.pins"

    /// The text of a definition; its pin is made when the name is used.
    private struct Definition {
        var place: String
        var lines: [Substring]
    }

    private var definitions: [String: Definition] = [:]
    private var name: Substring?
    private var open: Definition?

    /// Reads a comment line of the list; call it for each line in order.
    ///
    /// - Parameter comment: what follows the slashes.
    mutating func readComment(_ comment: Substring, of line: NumberedLines.Line) throws(PinFormatError) {
        let text = comment.hasPrefix(" ") ? comment.dropFirst() : comment
        guard !text.hasPrefix("#") else { return }
        if open != nil {
            open?.lines.append(text)
            if text.hasPrefix("-----END ") { try define() }
        } else if name != nil, text.hasPrefix("sha256/") || text.hasPrefix("-----BEGIN ") {
            open = Definition(place: line.place, lines: [text])
            if text.hasPrefix("sha256/") { try define() }
        } else {
            name = Self.isName(text) ? text : nil
        }
    }

    /// Ends the comment block, because the next line is not a comment.
    mutating func end() { (name, open) = (nil, nil) }

    private mutating func define() throws(PinFormatError) {
        guard let name, let definition = open else { return }
        end()
        guard definitions.updateValue(definition, forKey: String(name)) == nil else {
            throw .malformed(
                place: definition.place,
                problem: "the name '\(name.prefix(40))' is defined twice; keep one"
            )
        }
    }

    /// The pin that `name` is defined as.
    func pin(_ name: String, at place: String) throws(PinFormatError) -> Pin {
        guard let definition = definitions[name] else {
            guard Self.isName(name) else {
                throw .malformed(place: place, problem: "expected a pin (sha256/ and base64) or the name of one")
            }
            throw .malformed(
                place: place,
                problem: "'\(name.prefix(40))' is not defined in a comment: put the lines of "
                    + "\(Self.file) at the top, each after '//'"
            )
        }
        let lines = definition.lines
        guard lines.count > 1 else { return try PinFormats.pin(lines[0], at: definition.place) }
        let text = Array(lines.joined(separator: "\n").utf8)
        if let certificate = (try? PEM.certificates(in: text.span))?.first,
            let pin = try? Pin(ofCertificate: certificate.span)
        {
            return pin
        }
        if lines[0].hasPrefix("-----BEGIN PUBLIC KEY"),
            let key = try? Base64.decode(lines.dropFirst().dropLast().joined()), !key.isEmpty
        {
            return Pin(hashing: key.span)
        }
        throw .malformed(place: definition.place, problem: "expected a certificate or a public key in PEM")
    }

    /// The lines that define the names of `pins`.
    static func definitions(of pins: [Pin]) -> [String] { pins.flatMap { [name(of: $0), "\($0)", ""] } }

    /// The name that we write for a pin, derived from the pin, so that one pin always has one name.
    static func name(of pin: Pin) -> String { "Pin_" + pin.hexadecimal }

    private static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
