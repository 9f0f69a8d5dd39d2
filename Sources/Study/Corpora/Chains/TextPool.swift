internal import WireFormat

/// Texts that repeat, each once, by number.
struct TextPool: Sendable {
    private(set) var texts = PackedTexts()
    private var table = NumberTable()

    /// The number of a text; equal texts have equal numbers. `nil` if the bytes are not UTF-8.
    ///
    /// - Complexity: O(*n*) in the bytes of the text, nothing of which is kept when it is there already.
    mutating func number(of text: Span<UInt8>) -> Int32? {
        let hash = hash(of: text)
        if let known = table.number(hash: hash, where: { texts.holds(text, at: $0) }) { return known }
        guard let number = texts.append(text) else { return nil }
        table.insert(number, hash: hash)
        return number
    }

    /// The number of the text that stands next on a line.
    mutating func number(_ json: inout JSONScanner, _ line: Span<UInt8>) throws(JSONLineError) -> Int32 {
        let number: Int32?
        if let range = json.plainText(line) {
            number = self.number(of: line.extracting(range))
        } else {
            let text = try json.escapedText(line)
            number = self.number(of: text.span)
        }
        guard let number else { throw .notAnObject }
        return number
    }

    private func hash(of text: Span<UInt8>) -> UInt64 {
        var hash = UInt64(text.count)
        var offset = 0
        while let word = littleEndianUInt64(in: text, at: offset) {
            hash = table.adding(word, to: hash)
            offset &+= 8
        }
        var rest: UInt64 = 0
        while offset < text.count {
            rest = rest << 8 | UInt64(text[offset])
            offset &+= 1
        }
        // Twice, or the last bytes would not reach all bits.
        return table.adding(0, to: table.adding(rest, to: hash))
    }
}

/// Texts one behind the other, which take no more than their bytes.
struct PackedTexts: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    /// How many there are.
    var count: Int { ends.count }

    /// The text with this number; empty for -1.
    subscript(number: Int32) -> String {
        number < 0 ? "" : String(decoding: bytes[range(number)], as: UTF8.self)
    }

    /// Whether the text with this number is `text`.
    func holds(_ text: Span<UInt8>, at number: Int32) -> Bool {
        let range = range(number)
        guard range.count == text.count else { return false }
        let own = bytes.span.extracting(range)
        var offset = 0
        while let word = littleEndianUInt64(in: text, at: offset) {
            guard littleEndianUInt64(in: own, at: offset) == word else { return false }
            offset &+= 8
        }
        while offset < text.count {
            guard own[offset] == text[offset] else { return false }
            offset &+= 1
        }
        return true
    }

    /// Adds a new text and returns its number; `nil` if the bytes are not UTF-8.
    fileprivate mutating func append(_ text: Span<UInt8>) -> Int32? {
        var isASCII = true
        for index in text.indices where text[index] >= 0x80 { isASCII = false }
        guard isASCII || String(validating: [UInt8](copying: text), as: UTF8.self) != nil else { return nil }
        bytes.append(copying: text)
        ends.append(bytes.count)
        return Int32(ends.count - 1)
    }

    private func range(_ number: Int32) -> Range<Int> { (number == 0 ? 0 : ends[Int(number) - 1])..<ends[Int(number)] }
}
