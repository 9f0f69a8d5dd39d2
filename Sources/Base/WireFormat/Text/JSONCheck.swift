/// Looks at a whole JSON text (RFC 8259) before a decoder reads it, for what decoders let pass.
///
/// Of two members with one name a decoder takes one silently; another reader takes the other one. In
/// `"enforce":false,"enforce":true` that decides whether pins hold at all, so a repeated name is an error here, as in YAML.
package enum JSONCheck {
    /// Nesting that a decoder takes as well.
    static let mostNesting = 512

    /// Reads all of `bytes`, which must be one value in UTF-8.
    ///
    /// - Complexity: O(*n*), and a set of the names of every object that is open.
    package static func check(_ bytes: Span<UInt8>) throws(JSONProblem) {
        var reader = JSONReader()
        try reader.readText(bytes)
    }
}

/// Why a text is not JSON of which every reader makes the same.
package struct JSONProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package enum Kind: Equatable, Sendable {
        /// Something else stands where this is due.
        case expected(String)
        /// An object has two members with this name.
        case repeatedName(String)
        /// Values are nested deeper than any reader takes.
        case nesting(limit: Int)
    }

    /// From 1.
    package let line: Int
    /// What is wrong.
    package let kind: Kind

    /// What is wrong and what to do, without the line.
    package var problem: String {
        switch kind {
        case .expected(let what): "not JSON, because \(what) was expected: correct it"
        case .repeatedName(let name):
            // A name could be any text; what could steer a terminal, or is long, is not repeated.
            name.utf8.count <= 40 && name.utf8.allSatisfy { (0x20...0x7E).contains($0) }
                ? "'\(name)' stands twice in one object: keep one" : "a name stands twice in one object: keep one"
        case .nesting(let limit): "nested deeper than \(limit) levels: write it flatter"
        }
    }

    /// Where, what is wrong and what to do.
    package var description: String { "line \(line): \(problem)" }
}

/// The walk through the text, which keeps the open containers in a list of its own: text must not decide how deep calls go.
private struct JSONReader {
    private enum Container {
        case array
        case object(names: Set<String>)

        var isArray: Bool { if case .array = self { true } else { false } }
    }

    private var place = 0
    private var line = 1
    private var open: [Container] = []

    mutating func readText(_ bytes: Span<UInt8>) throws(JSONProblem) {
        // A byte order mark, which some editors write and a reader may pass over (RFC 8259 8.1).
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { place = 3 }
        try readValue(bytes)
        // Not the container itself: while it is held, each name would copy the set of all before it.
        while let isArray = open.last?.isArray {
            skipSpace(bytes)
            if isArray {
                if skip("]", bytes) {
                    open.removeLast()
                } else {
                    try expect(",", bytes)
                    try readValue(bytes)
                }
            } else if skip("}", bytes) {
                open.removeLast()
            } else {
                try expect(",", bytes)
                try readMember(bytes)
            }
        }
        skipSpace(bytes)
        guard place == bytes.count else { throw problem("the end of the text") }
    }

    /// A scalar, or the start of a container up to its first element's end.
    private mutating func readValue(_ bytes: Span<UInt8>) throws(JSONProblem) {
        while true {
            skipSpace(bytes)
            guard place < bytes.count else { throw problem("a value") }
            switch bytes[place] {
            case UInt8(ascii: "{"):
                try enter(.object(names: []))
                skipSpace(bytes)
                if skip("}", bytes) {
                    open.removeLast()
                    return
                }
                try readName(bytes)
            case UInt8(ascii: "["):
                try enter(.array)
                skipSpace(bytes)
                if skip("]", bytes) {
                    open.removeLast()
                    return
                }
            case UInt8(ascii: "\""):
                _ = try readString(bytes, isName: false)
                return
            case UInt8(ascii: "t"): return try expect("true", bytes)
            case UInt8(ascii: "f"): return try expect("false", bytes)
            case UInt8(ascii: "n"): return try expect("null", bytes)
            default: return try readNumber(bytes)
            }
        }
    }

    private mutating func readMember(_ bytes: Span<UInt8>) throws(JSONProblem) {
        try readName(bytes)
        try readValue(bytes)
    }

    private mutating func readName(_ bytes: Span<UInt8>) throws(JSONProblem) {
        skipSpace(bytes)
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { throw problem("a name in quotes") }
        let nameLine = line
        let name = try readString(bytes, isName: true)
        // Taken out and put back, so that the set is not copied.
        guard case .object(var names)? = open.popLast() else { return }
        // Texts that differ only in how Unicode writes them are one name: to a decoder's dictionary they are, too.
        guard names.insert(name).inserted else { throw JSONProblem(line: nameLine, kind: .repeatedName(name)) }
        open.append(.object(names: names))
        skipSpace(bytes)
        try expect(":", bytes)
    }

    private mutating func enter(_ container: Container) throws(JSONProblem) {
        guard open.count < JSONCheck.mostNesting else {
            throw JSONProblem(line: line, kind: .nesting(limit: JSONCheck.mostNesting))
        }
        place += 1
        open.append(container)
    }

    // MARK: - Texts and numbers

    /// Steps over a text; what it says is made of names alone.
    private mutating func readString(_ bytes: Span<UInt8>, isName: Bool) throws(JSONProblem) -> String {
        place += 1
        var start = place
        var text = ""
        var isASCII = true
        while place < bytes.count {
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                if isName || !isASCII { text += try piece(start..<place, bytes) }
                place += 1
                guard byte != UInt8(ascii: "\"") else { return text }
                let scalar = try readEscape(bytes)
                if isName { text.unicodeScalars.append(scalar) }
                start = place
                isASCII = true
            case 0..<0x20: throw problem("a character, which control characters are not (write them as \\u00XX)")
            default:
                if byte >= 0x80 { isASCII = false }
                place += 1
            }
        }
        throw problem("the end of a text")
    }

    private func piece(_ range: Range<Int>, _ bytes: Span<UInt8>) throws(JSONProblem) -> String {
        let piece = [UInt8](copying: bytes.extracting(range))
        guard let text = String(validating: piece, as: UTF8.self) else { throw problem("UTF-8") }
        return text
    }

    /// Reads the rest of an escape, after its backslash.
    private mutating func readEscape(_ bytes: Span<UInt8>) throws(JSONProblem) -> Unicode.Scalar {
        guard place < bytes.count else { throw problem("the end of a text") }
        let byte = bytes[place]
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = try readUnit(bytes)
            if let scalar = Unicode.Scalar(unit) { return scalar }
            guard unit < 0xDC00, skip("\\", bytes), skip("u", bytes) else { throw problem("a pair of surrogates") }
            let low = try readUnit(bytes)
            guard (0xDC00...0xDFFF).contains(low),
                let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            else { throw problem("a pair of surrogates") }
            return scalar
        default: throw problem("an escape of JSON")
        }
    }

    private mutating func readUnit(_ bytes: Span<UInt8>) throws(JSONProblem) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard place < bytes.count, let digit = Character(Unicode.Scalar(bytes[place])).hexDigitValue else {
                throw problem("four hexadecimal digits")
            }
            unit = unit << 4 | UInt32(digit)
            place += 1
        }
        return unit
    }

    private mutating func readNumber(_ bytes: Span<UInt8>) throws(JSONProblem) {
        let start = place
        _ = skip("-", bytes)
        let first = place
        skipDigits(bytes)
        guard place > first else {
            place = start
            throw problem("a value")
        }
        guard bytes[first] != UInt8(ascii: "0") || place == first + 1 else {
            throw problem("a number without a zero before it")
        }
        if skip(".", bytes) { try expectDigits(bytes) }
        if skip("e", bytes) || skip("E", bytes) {
            if !skip("+", bytes) { _ = skip("-", bytes) }
            try expectDigits(bytes)
        }
    }

    private mutating func expectDigits(_ bytes: Span<UInt8>) throws(JSONProblem) {
        let start = place
        skipDigits(bytes)
        guard place > start else { throw problem("a digit") }
    }

    private mutating func skipDigits(_ bytes: Span<UInt8>) {
        while place < bytes.count, bytes[place] &- UInt8(ascii: "0") < 10 { place += 1 }
    }

    // MARK: - Single characters

    private mutating func skipSpace(_ bytes: Span<UInt8>) {
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\n"): line += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
            default: return
            }
            place += 1
        }
    }

    /// Passes over `character` if it is next.
    private mutating func skip(_ character: Unicode.Scalar, _ bytes: Span<UInt8>) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func expect(_ text: StaticString, _ bytes: Span<UInt8>) throws(JSONProblem) {
        for scalar in "\(text)".unicodeScalars where !skip(scalar, bytes) { throw problem("\(text)") }
    }

    private func problem(_ expected: String) -> JSONProblem { JSONProblem(line: line, kind: .expected(expected)) }
}
