internal import Foundation
internal import WireFormat

/// Why a line is not the JSON object that it should be.
enum JSONLineError: Error {
    case notAnObject
    case wrongType(expected: String)
    case missing(String)
    case repeated
    case repeatedName
    case tooMany(String, Int)

    /// What is wrong with `field`, and what to write.
    func problem(_ field: String) -> String {
        let place = field.isEmpty ? "" : "\(field): "
        return switch self {
        case .notAnObject: "\(place)not a JSON object: write one to a line"
        case .wrongType(let expected): "\(place)unexpected value: write \(expected)"
        case .missing(let name): "\(name): missing, add it"
        case .repeated: "\(place)appears on an earlier line too: write each certificate once"
        case .repeatedName: "\(place)stands twice in this object: keep one"
        case .tooMany(let what, let most): "\(place)more than \(most) \(what): split the recording"
        }
    }
}

/// A walk through one JSON object (RFC 8259) that takes only what a recording holds: texts, whole numbers, truth values and
/// lists of texts. What a reader does not ask for is skipped.
///
/// A recording may have millions of lines, so a line is parsed only into the values that are kept.
struct RecordedLine {
    private(set) var position = 0
    private var isFirst = true

    /// Deeper nesting than this is refused, also in what is skipped.
    private static let mostNesting = 16

    /// Steps over the opening brace.
    mutating func open(_ line: Span<UInt8>) throws(JSONLineError) {
        try expect(UInt8(ascii: "{"), in: line)
    }

    /// The next member's name, or `nil` after the last member and nothing else.
    mutating func nextName(_ line: Span<UInt8>) throws(JSONLineError) -> JSONName? {
        skipSpace(line)
        if position < line.count, line[position] == UInt8(ascii: "}") {
            position += 1
            skipSpace(line)
            guard position == line.count else { throw .notAnObject }
            return nil
        }
        if !isFirst { try expect(UInt8(ascii: ","), in: line) }
        isFirst = false
        let name = try name(line)
        try expect(UInt8(ascii: ":"), in: line)
        return name
    }

    /// A text that is one of a few words.
    mutating func name(_ line: Span<UInt8>) throws(JSONLineError) -> JSONName {
        if let range = try plainText(line) { return JSONName(line, range) }
        return JSONName(try escapedText(line))
    }

    /// The bytes between the quotes; `nil`, with nothing read, if they contain a backslash.
    mutating func plainText(_ line: Span<UInt8>) throws(JSONLineError) -> Range<Int>? {
        skipSpace(line)
        guard position < line.count, line[position] == UInt8(ascii: "\"") else {
            throw .wrongType(expected: "a text")
        }
        let end = Self.endOfPlainText(line, from: position + 1)
        guard end < line.count, line[end] >= 0x20 else { throw .notAnObject }
        if line[end] == UInt8(ascii: "\\") { return nil }
        let text = position + 1..<end
        position = end + 1
        return text
    }

    /// The bytes between the quotes when there are `count` of them and a quote behind, which is all that is looked at;
    /// `nil`, and nothing read, when not. For texts whose reader judges each byte: hashes and times.
    @inline(__always)
    mutating func plainText(_ line: Span<UInt8>, count: Int) -> Range<Int>? {
        skipSpace(line)
        let end = position &+ 1 &+ count
        guard end < line.count, line[position] == UInt8(ascii: "\""), line[end] == UInt8(ascii: "\"") else {
            return nil
        }
        let text = position &+ 1..<end
        position = end &+ 1
        return text
    }

    /// The first quote, backslash or control character at or after `start`, or the end of the line.
    private static func endOfPlainText(_ line: Span<UInt8>, from start: Int) -> Int {
        let (top, each): (UInt64, UInt64) = (0x8080_8080_8080_8080, 0x0101_0101_0101_0101)
        var end = start
        // Eight bytes in a turn: the lowest bit that a subtraction sets is in the first byte that is looked for.
        while let word = littleEndianUInt64(in: line, at: end) {
            let (quote, escape) = (word ^ each &* 0x22, word ^ each &* 0x5C)
            let found =
                (quote &- each) & ~quote | (escape &- each) & ~escape | (word &- each &* 0x20) & ~word
            if found & top != 0 { return end &+ (found & top).trailingZeroBitCount / 8 }
            end &+= 8
        }
        while end < line.count, line[end] != 0x22, line[end] != 0x5C, line[end] >= 0x20 { end += 1 }
        return end
    }

    /// A text with escapes, which are resolved; where ``plainText(_:)`` read nothing.
    mutating func escapedText(_ line: Span<UInt8>) throws(JSONLineError) -> String {
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
        guard position > start, position == line.count || !Self.continuesNumber(line[position]) else {
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

    /// Steps into a list: whether anything is in it.
    mutating func openList(_ line: Span<UInt8>) throws(JSONLineError) -> Bool {
        skipSpace(line)
        guard position < line.count, line[position] == UInt8(ascii: "[") else { throw .wrongType(expected: "a list") }
        position += 1
        skipSpace(line)
        guard position < line.count else { throw .notAnObject }
        if line[position] != UInt8(ascii: "]") { return true }
        position += 1
        return false
    }

    /// Steps over what follows an element of a list: whether another one stands next.
    @inline(__always)
    mutating func nextOfList(_ line: Span<UInt8>) throws(JSONLineError) -> Bool {
        skipSpace(line)
        guard position < line.count else { throw .notAnObject }
        if line[position] == UInt8(ascii: "]") {
            position += 1
            return false
        }
        try expect(UInt8(ascii: ","), in: line)
        return true
    }

    /// Steps over any value.
    mutating func skipValue(_ line: Span<UInt8>, depth: Int = 0) throws(JSONLineError) {
        skipSpace(line)
        guard position < line.count, depth < Self.mostNesting else { throw .notAnObject }
        switch line[position] {
        case UInt8(ascii: "\""): try skipText(line)
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
                    try skipText(line)
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

    // MARK: - Private

    private mutating func skipText(_ line: Span<UInt8>) throws(JSONLineError) {
        if try plainText(line) == nil { _ = try escapedText(line) }
    }

    /// Digits, signs and the letters of `true`, `false` and `null`.
    private static func isScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func continuesNumber(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || byte | 0x20 == UInt8(ascii: "e") || byte == UInt8(ascii: ".")
    }

    @inline(__always)
    private mutating func skipSpace(_ line: Span<UInt8>) {
        while position < line.count, line[position] == 0x20 || line[position] == 0x09 || line[position] == 0x0d {
            position += 1
        }
    }

    @inline(__always)
    private mutating func expect(_ byte: UInt8, in line: Span<UInt8>) throws(JSONLineError) {
        skipSpace(line)
        guard position < line.count, line[position] == byte else { throw .notAnObject }
        position += 1
    }

    @inline(__always)
    private mutating func skip(_ word: StaticString, in line: Span<UInt8>) -> Bool {
        // Mostly something else stands here, which the first letter tells.
        guard position < line.count, unsafe line[position] == word.utf8Start.pointee else { return false }
        return skipAll(of: word, in: line)
    }

    private mutating func skipAll(of word: StaticString, in line: Span<UInt8>) -> Bool {
        let end = position + word.utf8CodeUnitCount
        guard end <= line.count else { return false }
        for (index, byte) in word.description.utf8.enumerated() where line[position + index] != byte { return false }
        position = end
        return true
    }
}
