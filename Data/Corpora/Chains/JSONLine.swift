internal import Foundation

/// Why a line is not the JSON object that it should be.
enum JSONLineError: Error {
    case notAnObject
    case wrongType(expected: String)
    case missing(String)
    case repeated
    case tooMany(String, Int)

    /// What is wrong with `field`, and what to write.
    func problem(_ field: String) -> String {
        let place = field.isEmpty ? "" : "\(field): "
        return switch self {
        case .notAnObject: "\(place)not a JSON object: write one to a line"
        case .wrongType(let expected): "\(place)unexpected value: write \(expected)"
        case .missing(let name): "\(name): missing, add it"
        case .repeated: "\(place)stands on an earlier line as well: write each certificate once"
        case .tooMany(let what, let most): "\(place)more than \(most) \(what): split the recording"
        }
    }
}

/// A walk through one JSON object (RFC 8259) that takes only what a recording holds: texts, whole numbers, truth values and
/// lists of texts. What a reader does not ask for is skipped.
///
/// A recording may have millions of lines, so nothing is made of a line but what is kept of it.
struct JSONLine {
    private(set) var position = 0
    private var isFirst = true

    /// Deeper nesting than this is refused, also in what is skipped.
    private static let mostNesting = 16

    /// Steps over the opening brace.
    mutating func open(_ line: Span<UInt8>) throws(JSONLineError) {
        try expect(UInt8(ascii: "{"), in: line)
    }

    /// The bytes of the next member's name, or `nil` after the last member and nothing else.
    mutating func nextName(_ line: Span<UInt8>) throws(JSONLineError) -> Range<Int>? {
        skipSpace(line)
        if position < line.count, line[position] == UInt8(ascii: "}") {
            position += 1
            skipSpace(line)
            guard position == line.count else { throw .notAnObject }
            return nil
        }
        if !isFirst { try expect(UInt8(ascii: ","), in: line) }
        isFirst = false
        guard let name = try plainText(line) else { throw .notAnObject }
        try expect(UInt8(ascii: ":"), in: line)
        return name
    }

    /// The bytes between the quotes when no backslash stands there, and `nil` (nothing read) when one does.
    mutating func plainText(_ line: Span<UInt8>) throws(JSONLineError) -> Range<Int>? {
        skipSpace(line)
        guard position < line.count, line[position] == UInt8(ascii: "\"") else {
            throw .wrongType(expected: "a text")
        }
        var end = position + 1
        while end < line.count, line[end] != UInt8(ascii: "\"") {
            if line[end] == UInt8(ascii: "\\") { return nil }
            guard line[end] >= 0x20 else { throw .notAnObject }
            end += 1
        }
        guard end < line.count else { throw .notAnObject }
        let text = position + 1..<end
        position = end + 1
        return text
    }

    /// A text, with its escapes resolved.
    mutating func text(_ line: Span<UInt8>) throws(JSONLineError) -> String {
        if let range = try plainText(line) { return try Self.string(line, range) }
        let start = position
        var end = position + 1
        while end < line.count, line[end] != UInt8(ascii: "\"") {
            end += line[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < line.count else { throw .notAnObject }
        position = end + 1
        // Rare enough for Foundation to know about surrogates and the rest.
        let quoted = Data((start...end).map { line[$0] })
        guard let text = try? JSONDecoder().decode(String.self, from: quoted) else { throw .notAnObject }
        return text
    }

    /// A whole number of at most 15 digits, not negative.
    mutating func integer(_ line: Span<UInt8>) throws(JSONLineError) -> Int {
        skipSpace(line)
        let start = position
        var value = 0
        while position < line.count, position - start < 15, line[position] &- UInt8(ascii: "0") < 10 {
            value = value * 10 + Int(line[position] - UInt8(ascii: "0"))
            position += 1
        }
        guard position > start, position == line.count || !".eE0123456789".utf8.contains(line[position]) else {
            throw .wrongType(expected: "a whole number")
        }
        return value
    }

    /// `true` or `false`.
    mutating func truth(_ line: Span<UInt8>) throws(JSONLineError) -> Bool {
        skipSpace(line)
        if skip("true", in: line) { return true }
        if skip("false", in: line) { return false }
        throw .wrongType(expected: "true or false")
    }

    /// Whether `null` stands here; steps over it then.
    mutating func null(_ line: Span<UInt8>) -> Bool {
        skipSpace(line)
        return skip("null", in: line)
    }

    /// Calls `body` with the bytes of each text of a list; texts there are hashes, so none has an escape.
    mutating func list(
        _ line: Span<UInt8>,
        _ body: (Range<Int>) throws(JSONLineError) -> Void
    ) throws(JSONLineError) {
        skipSpace(line)
        guard position < line.count, line[position] == UInt8(ascii: "[") else { throw .wrongType(expected: "a list") }
        position += 1
        skipSpace(line)
        if position < line.count, line[position] == UInt8(ascii: "]") {
            position += 1
            return
        }
        while true {
            guard let text = try plainText(line) else { throw .wrongType(expected: "a list of hashes") }
            try body(text)
            skipSpace(line)
            guard position < line.count else { throw .notAnObject }
            if line[position] == UInt8(ascii: "]") {
                position += 1
                return
            }
            try expect(UInt8(ascii: ","), in: line)
        }
    }

    /// Steps over any value.
    mutating func skipValue(_ line: Span<UInt8>, depth: Int = 0) throws(JSONLineError) {
        skipSpace(line)
        guard position < line.count, depth < Self.mostNesting else { throw .notAnObject }
        switch line[position] {
        case UInt8(ascii: "\""): _ = try text(line)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isObject = line[position] == UInt8(ascii: "{")
            let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
            position += 1
            var count = 0
            while true {
                skipSpace(line)
                guard position < line.count else { throw .notAnObject }
                if line[position] == end { break }
                if count > 0 { try expect(UInt8(ascii: ","), in: line) }
                if isObject {
                    _ = try text(line)
                    try expect(UInt8(ascii: ":"), in: line)
                }
                try skipValue(line, depth: depth + 1)
                count += 1
            }
            position += 1
        default:
            let start = position
            while position < line.count, Self.isScalar(line[position]) { position += 1 }
            guard position > start else { throw .notAnObject }
        }
    }

    /// Which of `names` stands at `range`; empty for none of them. No text is made for the answer.
    static func name(_ line: Span<UInt8>, _ range: Range<Int>, among names: [String]) -> String {
        names.first { name in
            let bytes = name.utf8
            guard bytes.count == range.count else { return false }
            var index = range.lowerBound
            for byte in bytes {
                guard line[index] == byte else { return false }
                index += 1
            }
            return true
        } ?? ""
    }

    /// The text at `range`, which must be UTF-8.
    static func string(_ line: Span<UInt8>, _ range: Range<Int>) throws(JSONLineError) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for index in range { bytes.append(line[index]) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notAnObject }
        return text
    }

    // MARK: - Private

    /// Digits, signs and the letters of `true`, `false` and `null`.
    private static func isScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private mutating func skipSpace(_ line: Span<UInt8>) {
        while position < line.count, line[position] == 0x20 || line[position] == 0x09 || line[position] == 0x0d {
            position += 1
        }
    }

    private mutating func expect(_ byte: UInt8, in line: Span<UInt8>) throws(JSONLineError) {
        skipSpace(line)
        guard position < line.count, line[position] == byte else { throw .notAnObject }
        position += 1
    }

    private mutating func skip(_ word: StaticString, in line: Span<UInt8>) -> Bool {
        let end = position + word.utf8CodeUnitCount
        guard end <= line.count else { return false }
        var index = position
        for byte in word.description.utf8 {
            guard line[index] == byte else { return false }
            index += 1
        }
        position = end
        return true
    }
}
