/// The records of a zone's text as their words (RFC 1035 5.1).
///
/// A record ends with its line, unless a parenthesis is open. A semicolon begins a comment, and `\` takes the next byte
/// as it is. A line that begins with `#` is a comment too, because lists of records are written with such lines.
struct ZoneRecords {
    struct Record: Equatable {
        /// The line of its first word, from 1.
        let number: Int
        /// Whether a blank precedes the first word, so that the owner is that of the record before.
        let startsWithBlank: Bool
        /// At least one. Escapes are kept; a quoted word keeps its first quote, so that it is not a type or class.
        let words: [String]

        var place: String { "line \(number)" }
    }

    /// The upper bound of words in a record: the data of a record have at most 65,535 bytes (RFC 1035 3.2.1), and a
    /// byte is two hexadecimal digits.
    static let mostWords = 1 << 17

    private let bytes: [UInt8]
    private var position = 0
    private var number = 1

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() throws(PinFormatError) -> Record? {
        while position < bytes.count {
            let record = try record()
            if !record.words.isEmpty { return record }
        }
        return nil
    }

    private mutating func record() throws(PinFormatError) -> Record {
        let first = number
        let startsWithBlank = Self.isBlank(bytes[position])
        var words: [String] = []
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\n"):
                position += 1
                number += 1
                if depth == 0 { return Record(number: first, startsWithBlank: startsWithBlank, words: words) }
            case let byte where Self.isBlank(byte): position += 1
            case UInt8(ascii: ";"): skipComment()
            case UInt8(ascii: "#") where words.isEmpty: skipComment()
            case UInt8(ascii: "("):
                position += 1
                depth += 1
            case UInt8(ascii: ")"):
                guard depth > 0 else {
                    throw .malformed(place: "line \(number)", problem: "a parenthesis is closed that is not open")
                }
                position += 1
                depth -= 1
            case UInt8(ascii: "\""): words.append(try quotedWord())
            default: words.append(word())
            }
            guard words.count <= Self.mostWords else {
                throw .malformed(place: "line \(first)", problem: "a record of more than \(Self.mostWords) words")
            }
        }
        guard depth == 0 else { throw .malformed(place: "line \(first)", problem: "a parenthesis is not closed") }
        return Record(number: first, startsWithBlank: startsWithBlank, words: words)
    }

    private mutating func skipComment() {
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
    }

    private mutating func word() -> String {
        let start = position
        while position < bytes.count, !Self.endsWord(bytes[position]) { step() }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func quotedWord() throws(PinFormatError) -> String {
        let start = position
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            guard bytes[position] != UInt8(ascii: "\n") else { break }
            step()
        }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            throw .malformed(place: "line \(number)", problem: "a quote is not closed")
        }
        position += 1
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Passes one byte, or a backslash and the byte that it escapes.
    private mutating func step() {
        let isEscape = bytes[position] == UInt8(ascii: "\\")
        position += 1
        if isEscape, position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    private static func endsWord(_ byte: UInt8) -> Bool { isBlank(byte) || "\n;()\"".utf8.contains(byte) }
}
