// What checks a value to its last byte, and says what is wrong with it.
extension JSONScanner {
    /// The most containers inside each other. Decoders have the same limit.
    static let mostNesting = 512

    private enum Container {
        case array
        case object(names: Set<String>)

        var isArray: Bool { if case .array = self { true } else { false } }
    }

    /// Steps over one value, whatever it is.
    ///
    /// Of two members with one name a decoder takes one without an error, and another reader takes the other one. So a repeated name
    /// is an error, in each object inside the value too.
    ///
    /// - Complexity: O(*n*), and a set of the names of every object that is open.
    package mutating func skipValue(_ bytes: Span<UInt8>) throws(JSONProblem) {
        // A list and no recursion, because the text must not decide how deep calls go.
        var open: [Container] = []
        try beginValue(bytes, &open)
        // Not the container itself: while it is held, each name would copy the set of all before it.
        while let isArray = open.last?.isArray {
            if skip(isArray ? UInt8(ascii: "]") : UInt8(ascii: "}"), bytes) {
                open.removeLast()
                continue
            }
            guard skip(UInt8(ascii: ","), bytes) else { throw problem(",", bytes) }
            if !isArray { try skipName(bytes, &open) }
            try beginValue(bytes, &open)
        }
    }

    /// A scalar, or the start of a container up to its first element's end.
    private mutating func beginValue(_ bytes: Span<UInt8>, _ open: inout [Container]) throws(JSONProblem) {
        while true {
            skipSpace(bytes)
            guard position < bytes.count else { throw problem("a value", bytes) }
            switch bytes[position] {
            case UInt8(ascii: "{"):
                try enter(.object(names: []), bytes, &open)
                if skip(UInt8(ascii: "}"), bytes) {
                    open.removeLast()
                    return
                }
                try skipName(bytes, &open)
            case UInt8(ascii: "["):
                try enter(.array, bytes, &open)
                if skip(UInt8(ascii: "]"), bytes) {
                    open.removeLast()
                    return
                }
            case UInt8(ascii: "\""):
                _ = try string(bytes)
                return
            case UInt8(ascii: "t"):
                guard boolean(bytes) != nil else { throw problem("true", bytes) }
                return
            case UInt8(ascii: "f"):
                guard boolean(bytes) != nil else { throw problem("false", bytes) }
                return
            case UInt8(ascii: "n"):
                guard null(bytes) else { throw problem("null", bytes) }
                return
            default: return try skipNumber(bytes)
            }
        }
    }

    /// Steps over the name of a member and its colon.
    private mutating func skipName(_ bytes: Span<UInt8>, _ open: inout [Container]) throws(JSONProblem) {
        skipSpace(bytes)
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            throw problem("a name in quotes", bytes)
        }
        let name = String(decoding: try text(bytes), as: UTF8.self)
        // Taken out and put back, so that the set is not copied.
        guard case .object(var names)? = open.popLast() else { return }
        // Texts that differ only in how Unicode writes them are one name: to a decoder's dictionary they are, too.
        guard names.insert(name).inserted else { throw JSONProblem(line: line(bytes), kind: .repeatedName(name)) }
        open.append(.object(names: names))
        guard skip(UInt8(ascii: ":"), bytes) else { throw problem(":", bytes) }
    }

    private mutating func enter(
        _ container: Container,
        _ bytes: Span<UInt8>,
        _ open: inout [Container]
    ) throws(JSONProblem) {
        guard open.count < Self.mostNesting else {
            throw JSONProblem(line: line(bytes), kind: .nesting(limit: Self.mostNesting))
        }
        position += 1
        open.append(container)
    }

    // MARK: - Strings

    /// Steps over a string (section 7), and returns its bytes without quotes and escapes.
    ///
    /// - Complexity: one allocation, which never grows, so that no copy with a part of a secret is left behind.
    package mutating func text(_ bytes: Span<UInt8>) throws(JSONProblem) -> [UInt8] {
        let range = try string(bytes)
        var text: [UInt8] = []
        text.reserveCapacity(range.count)
        var rest = JSONScanner(at: range.lowerBound)
        while true {
            let end = Self.endOfPlainText(bytes, from: rest.position)
            text.append(copying: bytes.extracting(rest.position..<end))
            guard end < range.upperBound else { return text }
            rest.position = end
            text.append(contentsOf: try rest.escape(bytes).utf8)
        }
    }

    /// Steps over a string, and returns the place of the bytes between its quotes.
    private mutating func string(_ bytes: Span<UInt8>) throws(JSONProblem) -> Range<Int> {
        guard skip(UInt8(ascii: "\""), bytes) else { throw problem("a text", bytes) }
        let start = position
        while true {
            position = Self.endOfPlainText(bytes, from: position)
            guard position < bytes.count else { throw problem("the end of a text", bytes) }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let range = start..<position
                guard Self.isUTF8(bytes.extracting(range)) else { throw problem("UTF-8", bytes) }
                position += 1
                return range
            case UInt8(ascii: "\\"): _ = try escape(bytes)
            default: throw problem("a character, which control characters are not (write them as \\u00XX)", bytes)
            }
        }
    }

    private static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes)
            return true
        } catch {
            return false
        }
    }

    /// Steps over the escape whose backslash stands here.
    private mutating func escape(_ bytes: Span<UInt8>) throws(JSONProblem) -> Unicode.Scalar {
        position += 1
        guard position < bytes.count else { throw problem("the end of a text", bytes) }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = try codeUnit(bytes)
            if let scalar = Unicode.Scalar(unit) { return scalar }
            // The other half of the pair begins with "\u", the backslash in the lower byte.
            guard unit < 0xDC00, littleEndianUInt16(in: bytes, at: position) == 0x755C else {
                throw problem("a pair of surrogates", bytes)
            }
            position += 2
            let low = try codeUnit(bytes)
            guard (0xDC00...0xDFFF).contains(low),
                let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            else { throw problem("a pair of surrogates", bytes) }
            return scalar
        default: throw problem("an escape of JSON", bytes)
        }
    }

    private mutating func codeUnit(_ bytes: Span<UInt8>) throws(JSONProblem) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard position < bytes.count, let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue else {
                throw problem("four hexadecimal digits", bytes)
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    // MARK: - Numbers

    /// Steps over a number (section 6), which begins here.
    private mutating func skipNumber(_ bytes: Span<UInt8>) throws(JSONProblem) {
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        let first = position
        skipDigits(bytes)
        guard position > first else { throw problem("a value", bytes) }
        guard bytes[first] != UInt8(ascii: "0") || position == first + 1 else {
            throw problem("a number without a zero before it", bytes)
        }
        if next(bytes) == UInt8(ascii: ".") {
            position += 1
            try expectDigits(bytes)
        }
        if next(bytes) | 0x20 == UInt8(ascii: "e") {
            position += 1
            if next(bytes) == UInt8(ascii: "+") || next(bytes) == UInt8(ascii: "-") { position += 1 }
            try expectDigits(bytes)
        }
    }

    /// The next byte; 0, which no number has, at the end.
    private func next(_ bytes: Span<UInt8>) -> UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func expectDigits(_ bytes: Span<UInt8>) throws(JSONProblem) {
        let start = position
        skipDigits(bytes)
        guard position > start else { throw problem("a digit", bytes) }
    }

    private mutating func skipDigits(_ bytes: Span<UInt8>) {
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
    }

    // MARK: - Errors

    /// Something else stands here than what is expected.
    func problem(_ expected: String, _ bytes: Span<UInt8>) -> JSONProblem {
        JSONProblem(line: line(bytes), kind: .expected(expected))
    }

    /// The line of the next byte, from 1. It is counted for an error alone: a string holds no line feed, so all of them are space.
    private func line(_ bytes: Span<UInt8>) -> Int {
        var line = 1
        for index in 0..<min(position, bytes.count) where bytes[index] == UInt8(ascii: "\n") { line += 1 }
        return line
    }
}
