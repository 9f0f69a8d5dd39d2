/// Headers as a server's configuration adds them: `add_header` of nginx, and `Header` of Apache's mod_headers.
enum ServerHeaders {
    struct Header: Equatable {
        let name: String
        let value: String
        /// The line of the directive, from 1.
        let number: Int
    }

    /// The headers of these names that `text` adds, or `nil` if it is not such a configuration.
    ///
    /// - Parameter names: in lower case.
    static func read(_ text: [UInt8], names: Set<String>) throws(PinFormatError) -> [Header]? {
        var isNginx = false
        var isApache = false
        for line in NumberedLines(text) where !line.text.drop(while: \.isWhitespace).hasPrefix("#") {
            let words = line.text.split { " \t;{}".contains($0) }
            if words.contains("add_header") { isNginx = true }
            if words.first?.lowercased() == "header" { isApache = true }
        }
        guard isNginx || isApache else { return nil }
        var words = ServerWords(text, ofNginx: isNginx)
        var found: [(header: Header, block: Int)] = []
        while let directive = try words.next() {
            guard let (name, value) = isNginx ? nginx(directive.words) : apache(directive.words),
                names.contains(name.lowercased())
            else { continue }
            // nginx replaces a variable at each response.
            guard !isNginx || !value.contains("$") else {
                throw .malformed(
                    place: "line \(directive.number)",
                    problem: "a variable of nginx: write the header that the server sends"
                )
            }
            // Of two blocks each may be another host.
            guard found.allSatisfy({ $0.block == directive.block }) else {
                throw .malformed(
                    place: "line \(directive.number)",
                    problem: "a header of a second block, which may be another host; give those of one"
                )
            }
            found.append((Header(name: name, value: value, number: directive.number), directive.block))
        }
        return found.map(\.header)
    }

    /// `add_header NAME VALUE [always]`.
    private static func nginx(_ words: [String]) -> (name: String, value: String)? {
        words.count >= 3 && words[0] == "add_header" ? (words[1], words[2]) : nil
    }

    /// `Header [always|onsuccess] set|add|append|merge|setifempty NAME VALUE`.
    private static func apache(_ words: [String]) -> (name: String, value: String)? {
        guard words.first?.lowercased() == "header" else { return nil }
        var rest = words.dropFirst()
        if let condition = rest.first?.lowercased(), ["always", "onsuccess"].contains(condition) { rest.removeFirst() }
        guard let action = rest.popFirst()?.lowercased(),
            ["set", "add", "append", "merge", "setifempty"].contains(action), rest.count >= 2
        else { return nil }
        let words = Array(rest)
        return (words[0].hasSuffix(":") ? String(words[0].dropLast()) : words[0], words[1])
    }
}

/// The directives of a server's configuration as their words.
///
/// nginx ends a directive at a semicolon or a brace, Apache at the end of a line without a backslash. Both quote with
/// `"` and `'` at the start of a word, and both take a backslash away before a quote or a backslash there; nginx
/// everywhere.
struct ServerWords {
    struct Directive {
        let number: Int
        let words: [String]
        /// The number of the innermost block.
        let block: Int
    }

    private let bytes: [UInt8]
    private let isNginx: Bool
    private var position = 0
    private var number = 1
    /// The blocks around `position`; the outermost is 0.
    private var blocks = [0]
    private var lastBlock = 0

    init(_ bytes: [UInt8], ofNginx isNginx: Bool) {
        self.bytes = bytes
        self.isNginx = isNginx
    }

    mutating func next() throws(PinFormatError) -> Directive? {
        var words: [String] = []
        var first = number
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\n"):
                advance()
                if !isNginx, !words.isEmpty { return directive(words, first) }
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): advance()
            case UInt8(ascii: "\\") where !isNginx && isContinuation:
                while bytes[position] != UInt8(ascii: "\n") { advance() }
                advance()
            case UInt8(ascii: "#") where isNginx || words.isEmpty:
                while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { advance() }
            case UInt8(ascii: ";") where isNginx:
                advance()
                if !words.isEmpty { return directive(words, first) }
            case UInt8(ascii: "{") where isNginx:
                advance()
                lastBlock += 1
                blocks.append(lastBlock)
                words = []
            case UInt8(ascii: "}") where isNginx:
                advance()
                if blocks.count > 1 { blocks.removeLast() }
                words = []
            default:
                if words.isEmpty { first = number }
                words.append(try word())
            }
        }
        return words.isEmpty ? nil : directive(words, first)
    }

    private mutating func directive(_ words: [String], _ first: Int) -> Directive {
        // A section of Apache is a block too; its end returns to no block in particular, so all are told apart.
        if !isNginx, words[0].hasPrefix("<") {
            lastBlock += 1
            blocks = [lastBlock]
        }
        return Directive(number: first, words: words, block: blocks.last ?? 0)
    }

    private mutating func advance() {
        if bytes[position] == UInt8(ascii: "\n") { number += 1 }
        position += 1
    }

    /// Whether only the line's end follows the backslash.
    private var isContinuation: Bool {
        let rest = bytes[(position + 1)...].prefix(2)
        return rest.first == UInt8(ascii: "\n") || rest.elementsEqual([UInt8(ascii: "\r"), UInt8(ascii: "\n")])
    }

    private mutating func word() throws(PinFormatError) -> String {
        let quote = bytes[position]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return bareWord() }
        let first = number
        var word: [UInt8] = []
        advance()
        while position < bytes.count, bytes[position] != quote { word += unescaped(quote) }
        guard position < bytes.count else {
            throw .malformed(place: "line \(first)", problem: "a quote is not closed")
        }
        advance()
        return String(decoding: word, as: UTF8.self)
    }

    private mutating func bareWord() -> String {
        var word: [UInt8] = []
        while position < bytes.count, !" \t\r\n".utf8.contains(bytes[position]) {
            if isNginx, ";{".utf8.contains(bytes[position]) { break }
            if !isNginx {
                word.append(bytes[position])
                advance()
            } else {
                word += unescaped(nil)
            }
        }
        return String(decoding: word, as: UTF8.self)
    }

    /// The next byte, or what a backslash and the byte after it mean.
    private mutating func unescaped(_ quote: UInt8?) -> [UInt8] {
        let byte = bytes[position]
        advance()
        guard byte == UInt8(ascii: "\\"), position < bytes.count else { return [byte] }
        let next = bytes[position]
        advance()
        if next == byte || next == quote { return [next] }
        guard isNginx else { return [byte, next] }
        return switch next {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): [next]
        case UInt8(ascii: "t"): [UInt8(ascii: "\t")]
        case UInt8(ascii: "r"): [UInt8(ascii: "\r")]
        case UInt8(ascii: "n"): [UInt8(ascii: "\n")]
        default: [byte, next]
        }
    }
}
