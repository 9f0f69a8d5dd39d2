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

/// The walk through the object of a line: members that hold texts, whole numbers, truth values and lists of texts. What a reader does
/// not ask for is skipped.
///
/// A recording may have millions of lines, so a line is parsed only into the values that are kept.
extension JSONScanner {
    // MARK: - Members

    /// Steps into the object of the line: whether a member stands next.
    @inline(__always)
    mutating func openObject(_ line: Span<UInt8>) throws(JSONLineError) -> Bool {
        guard skip(UInt8(ascii: "{"), line) else { throw .notAnObject }
        return try !closeObject(line)
    }

    /// Steps over the name of a member and its colon.
    mutating func memberName(_ line: Span<UInt8>) throws(JSONLineError) -> JSONName {
        let name = try name(line)
        guard skip(UInt8(ascii: ":"), line) else { throw .notAnObject }
        return name
    }

    /// Steps over what follows a member: whether another one stands next.
    @inline(__always)
    mutating func nextMember(_ line: Span<UInt8>) throws(JSONLineError) -> Bool {
        if skip(UInt8(ascii: ","), line) { return true }
        guard try closeObject(line) else { throw .notAnObject }
        return false
    }

    /// Steps over a closing brace, behind which nothing may stand: whether there is one.
    @inline(__always)
    private mutating func closeObject(_ line: Span<UInt8>) throws(JSONLineError) -> Bool {
        guard skip(UInt8(ascii: "}"), line) else { return false }
        skipSpace(line)
        guard position == line.count else { throw .notAnObject }
        return true
    }

    /// Steps over the value of a member that the reader does not know.
    mutating func skipUnknown(_ line: Span<UInt8>) throws(JSONLineError) {
        do throws(JSONProblem) { try skipValue(line) } catch { throw .notAnObject }
    }

    // MARK: - Values

    /// A text that is one of a few words.
    mutating func name(_ line: Span<UInt8>) throws(JSONLineError) -> JSONName {
        if let range = plainText(line) { return JSONName(line, range) }
        let text = try escapedText(line)
        return JSONName(text.span, text.indices)
    }

    /// A text where ``plainText(_:)`` read none: one with escapes, which are resolved, or an error.
    @inline(never)
    mutating func escapedText(_ line: Span<UInt8>) throws(JSONLineError) -> [UInt8] {
        guard position < line.count, line[position] == UInt8(ascii: "\"") else { throw .wrongType(expected: "a text") }
        do throws(JSONProblem) { return try text(line) } catch { throw .notAnObject }
    }

    /// A whole number of at most 15 digits, not negative.
    mutating func integer(_ line: Span<UInt8>) throws(JSONLineError) -> Int {
        guard let number = wholeNumber(line) else { throw .wrongType(expected: "a whole number") }
        return number
    }

    /// Steps into a list: whether an element stands next.
    mutating func openList(_ line: Span<UInt8>) throws(JSONLineError) -> Bool {
        guard skip(UInt8(ascii: "["), line) else { throw .wrongType(expected: "a list") }
        return !skip(UInt8(ascii: "]"), line)
    }

    /// Steps over what follows an element of a list: whether another one stands next.
    @inline(__always)
    mutating func nextOfList(_ line: Span<UInt8>) throws(JSONLineError) -> Bool {
        if skip(UInt8(ascii: ","), line) { return true }
        guard skip(UInt8(ascii: "]"), line) else { throw .notAnObject }
        return false
    }
}
