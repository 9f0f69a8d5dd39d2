internal import Secrets

/// One word of a netrc file: where it lies, without its quotes.
struct NetrcWord {
    let range: Range<Int>
    let isQuoted: Bool
    let line: Int
}

/// Finds the words of a netrc file, in turn.
///
/// A word is separated by blanks, tabs and ends of lines. A word that begins with a quote ends at the next quote without a
/// backslash before it, on the same line. A number sign at the start of a word begins a comment.
struct NetrcWords {
    /// Why no word could be read.
    struct Failure: Error {
        let line: Int
        let problem: NetrcError.Problem
    }

    private var offset = 0
    private(set) var line = 1

    /// The next word; `nil` at the end.
    ///
    /// - Parameter keyword: the keyword whose value is next; `nil` if a keyword is expected.
    mutating func next(
        in bytes: Span<UInt8>,
        for keyword: NetrcError.Keyword? = nil
    ) throws(Failure) -> NetrcWord? {
        let start = line
        while offset < bytes.count {
            switch bytes[offset] {
            case .lineFeed: line += 1
            case .blank, .tab, .carriageReturn: break
            case .numberSign where keyword == nil || line != start:
                while offset < bytes.count, bytes[offset] != .lineFeed { offset += 1 }
                continue
            case let byte:
                if let keyword, line != start { throw Failure(line: start, problem: .valueMissing(keyword)) }
                if byte == .numberSign { throw Failure(line: line, problem: .numberSign) }
                return byte == .quote ? try quotedWord(in: bytes) : try word(in: bytes)
            }
            offset += 1
        }
        if let keyword { throw Failure(line: start, problem: .valueMissing(keyword)) }
        return nil
    }

    private mutating func word(in bytes: Span<UInt8>) throws(Failure) -> NetrcWord {
        let start = offset
        while offset < bytes.count, !bytes[offset].isBlank { offset += 1 }
        guard offset - start <= NetrcLimits.wordBytes else { throw Failure(line: line, problem: .wordTooLong) }
        return NetrcWord(range: start..<offset, isQuoted: false, line: line)
    }

    private mutating func quotedWord(in bytes: Span<UInt8>) throws(Failure) -> NetrcWord {
        let start = offset + 1
        var end = start
        while end < bytes.count, bytes[end] != .quote, bytes[end] != .lineFeed {
            // The character after a backslash belongs to the word, also if it is a quote.
            end += bytes[end] == .backslash ? 2 : 1
        }
        guard end < bytes.count, bytes[end] == .quote, !bytes.extracting(start..<end).contains(.lineFeed) else {
            throw Failure(line: line, problem: .openQuote)
        }
        offset = end + 1
        guard offset == bytes.count || bytes[offset].isBlank else {
            throw Failure(line: line, problem: .textAfterQuote)
        }
        guard end - start <= NetrcLimits.wordBytes else { throw Failure(line: line, problem: .wordTooLong) }
        return NetrcWord(range: start..<end, isQuoted: true, line: line)
    }

    /// Skips a macro, which ends with an empty line.
    mutating func skipMacro(in bytes: Span<UInt8>) throws(Failure) {
        let start = line
        while offset < bytes.count {
            let lineStart = offset
            while offset < bytes.count, bytes[offset] != .lineFeed { offset += 1 }
            guard offset < bytes.count else { break }
            // The rest of the line with `macdef` is not empty: the caller has read the name there.
            let isEmpty = line > start && bytes.extracting(lineStart..<offset).allBlank
            line += 1
            offset += 1
            if isEmpty { return }
        }
        throw Failure(line: start, problem: .openMacro)
    }
}

extension NetrcWord {
    /// Which keyword the word is, in upper or lower case.
    func keyword(in bytes: Span<UInt8>) -> NetrcError.Keyword? {
        guard !isQuoted else { return nil }
        return NetrcError.Keyword.allCases.first { keyword in
            var rest = range
            for letter in keyword.rawValue.utf8 {
                guard let index = rest.popFirst(), bytes[index] | 0x20 == letter else { return false }
            }
            return rest.isEmpty
        }
    }

    /// The value of the word; the caller erases it if it is secret.
    ///
    /// In quotes, a backslash makes `\n`, `\r` and `\t` a control character, and takes every other character as it is.
    func value(in bytes: Span<UInt8>) -> [UInt8] {
        var value: [UInt8] = []
        // At once, so that no copy of a secret stays behind when the array grows.
        value.reserveCapacity(range.count)
        var isEscaped = false
        for index in range {
            let byte = bytes[index]
            if isQuoted, !isEscaped, byte == .backslash {
                isEscaped = true
                continue
            }
            switch byte {
            case UInt8(ascii: "n") where isEscaped: value.append(.lineFeed)
            case UInt8(ascii: "r") where isEscaped: value.append(.carriageReturn)
            case UInt8(ascii: "t") where isEscaped: value.append(.tab)
            default: value.append(byte)
            }
            isEscaped = false
        }
        return value
    }

    /// The value as text, for what is not secret.
    func text(in bytes: Span<UInt8>) -> String { String(decoding: value(in: bytes), as: UTF8.self) }
}

extension UInt8 {
    fileprivate static let tab = UInt8(ascii: "\t")
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
    fileprivate static let blank = UInt8(ascii: " ")
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let numberSign = UInt8(ascii: "#")
    fileprivate static let backslash = UInt8(ascii: "\\")

    fileprivate var isBlank: Bool { self == .blank || self == .tab || self == .lineFeed || self == .carriageReturn }
}

extension Span<UInt8> {
    fileprivate func contains(_ byte: UInt8) -> Bool { indices.contains { self[$0] == byte } }

    fileprivate var allBlank: Bool { indices.allSatisfy { self[$0].isBlank } }
}
