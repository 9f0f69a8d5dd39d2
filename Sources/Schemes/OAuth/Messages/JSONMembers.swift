internal import Secrets
internal import WireFormat

/// The members of one JSON object of a token service.
///
/// A repeated name is an error, because two readers could take two tokens. A member that is null or an empty text is absent: services
/// write so what they do not say. Values that are secret are copied into memory that is erased, and become no `String`.
struct JSONMembers {
    private let text: SharedSecret
    private let members: [String: Range<Int>]

    /// Reads a whole text.
    ///
    /// - Throws: ``TokenServiceError/notJSON(_:)``.
    init(_ text: SharedSecret) throws(TokenServiceError) {
        let text = Self.withoutMark(text)
        let members: [String: Range<Int>]? = try text.withBytes { (bytes) throws(TokenServiceError) in
            do throws(JSONProblem) {
                try JSONCheck.check(bytes)
            } catch {
                throw .notJSON(error.description)
            }
            return JSONScan.members(of: bytes, from: JSONScan.afterSpace(bytes, 0))
        }
        guard let members else { throw .notJSON("line 1: an object was expected") }
        self.text = text
        self.members = members
    }

    /// A reader may ignore a byte order mark (RFC 8259 section 8.1).
    private static func withoutMark(_ text: SharedSecret) -> SharedSecret {
        text.withBytes { bytes in
            guard bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF else { return text }
            return SharedSecret(SecretBytes(copying: bytes.extracting(3...)))
        }
    }

    private init(_ text: SharedSecret, _ members: [String: Range<Int>]) {
        (self.text, self.members) = (text, members)
    }

    /// Whether there is a member of this name, of any kind, that is not null and not an empty text.
    func contains(_ name: String) -> Bool { members[name] != nil }

    /// A text; `nil` if there is none, or it is not valid Unicode.
    func string(_ name: String) -> String? {
        withString(name) { bytes in String(validating: bytes, as: UTF8.self) } ?? nil
    }

    /// A text that is secret.
    func secret(_ name: String) -> SharedSecret? {
        withString(name) { bytes in SharedSecret(SecretBytes(copying: bytes.span)) }
    }

    /// A whole number; also one in quotes, and one with a fraction or an exponent, which some services send. The fraction is cut off.
    func integer(_ name: String) -> Int64? {
        guard let range = members[name] else { return nil }
        let digits = text.withBytes { bytes in
            String(decoding: range.map { bytes[$0] }.filter { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
        }
        if let whole = Int64(digits) { return whole }
        // Of a number in JSON alone, because the initialiser reads hexadecimal digits and words too.
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }),
            let number = Double(digits)
        else { return nil }
        return Int64(exactly: number.rounded(.towardZero))
    }

    /// `true` or `false`.
    func boolean(_ name: String) -> Bool? {
        guard let range = members[name] else { return nil }
        return text.withBytes { bytes in
            switch bytes[range.lowerBound] {
            case UInt8(ascii: "t"): true
            case UInt8(ascii: "f"): false
            default: nil
            }
        }
    }

    /// An object inside this one.
    func object(_ name: String) -> JSONMembers? {
        guard let range = members[name] else { return nil }
        let inner = text.withBytes { bytes in JSONScan.members(of: bytes, from: range.lowerBound) }
        return inner.map { JSONMembers(text, $0) }
    }

    /// An array of texts; other elements are left out.
    func strings(_ name: String) -> [String]? {
        guard let range = members[name] else { return nil }
        return text.withBytes { bytes in
            JSONScan.elements(of: bytes, from: range.lowerBound)?.compactMap { element in
                guard bytes[element.lowerBound] == UInt8(ascii: "\"") else { return nil }
                return String(validating: JSONScan.unescaped(bytes, element), as: UTF8.self)
            }
        }
    }

    private func withString<Result>(_ name: String, _ body: ([UInt8]) -> Result) -> Result? {
        guard let range = members[name] else { return nil }
        return text.withBytes { bytes in
            guard bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
            var value = JSONScan.unescaped(bytes, range)
            defer { erase(&value) }
            return body(value)
        }
    }
}

/// Finds the parts of a JSON text that ``JSONCheck`` has accepted, so nothing is checked again.
private enum JSONScan {
    static func afterSpace(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var place = start
        while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
        return place
    }

    /// The members of the object at `start`; `nil` for another value.
    static func members(of bytes: Span<UInt8>, from start: Int) -> [String: Range<Int>]? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "{") else { return nil }
        var members: [String: Range<Int>] = [:]
        var place = afterSpace(bytes, start + 1)
        while bytes[place] != UInt8(ascii: "}") {
            let name = value(of: bytes, at: place)
            // After the name comes a colon.
            let first = afterSpace(bytes, afterSpace(bytes, name.upperBound) + 1)
            let range = value(of: bytes, at: first)
            // Null is the only value that begins with this letter.
            let isAbsent =
                bytes[range.lowerBound] == UInt8(ascii: "n")
                || bytes[range.lowerBound] == UInt8(ascii: "\"") && range.count == 2
            if !isAbsent { members[String(decoding: unescaped(bytes, name), as: UTF8.self)] = range }
            place = afterSpace(bytes, range.upperBound)
            if bytes[place] == UInt8(ascii: ",") { place = afterSpace(bytes, place + 1) }
        }
        return members
    }

    /// The elements of the array at `start`; `nil` for another value.
    static func elements(of bytes: Span<UInt8>, from start: Int) -> [Range<Int>]? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "[") else { return nil }
        var elements: [Range<Int>] = []
        var place = afterSpace(bytes, start + 1)
        while bytes[place] != UInt8(ascii: "]") {
            let range = value(of: bytes, at: place)
            elements.append(range)
            place = afterSpace(bytes, range.upperBound)
            if bytes[place] == UInt8(ascii: ",") { place = afterSpace(bytes, place + 1) }
        }
        return elements
    }

    /// The bytes of the value that begins at `start`.
    private static func value(of bytes: Span<UInt8>, at start: Int) -> Range<Int> {
        var (place, depth) = (start, 0)
        repeat {
            switch bytes[place] {
            case UInt8(ascii: "\""): place = endOfString(bytes, place)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                place += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                place += 1
            default:
                place += 1
                if depth == 0 {
                    // A number or a word ends before a separator.
                    while place < bytes.count, ![0x20, 0x09, 0x0A, 0x0D, 0x2C, 0x5D, 0x7D].contains(bytes[place]) {
                        place += 1
                    }
                }
            }
        } while depth > 0
        return start..<place
    }

    private static func endOfString(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var place = start + 1
        while bytes[place] != UInt8(ascii: "\"") { place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1 }
        return place + 1
    }

    /// The text of a string without its quotes and escapes. Half of a surrogate pair becomes the replacement character.
    static func unescaped(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var text: [UInt8] = []
        // Reserved at once, so that no copy with a part of a secret is left behind.
        text.reserveCapacity(range.count)
        var place = range.lowerBound + 1
        while place < range.upperBound - 1 {
            let byte = bytes[place]
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                place += 1
                continue
            }
            let escape = bytes[place + 1]
            place += 2
            switch escape {
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "u"):
                var scalar = hexadecimal(bytes, place)
                place += 4
                if scalar & 0xFC00 == 0xD800, place + 6 < range.upperBound, bytes[place] == UInt8(ascii: "\\"),
                    bytes[place + 1] == UInt8(ascii: "u"), hexadecimal(bytes, place + 2) & 0xFC00 == 0xDC00
                {
                    scalar = 0x10000 + (scalar & 0x3FF) << 10 + hexadecimal(bytes, place + 2) & 0x3FF
                    place += 6
                }
                text.append(contentsOf: UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? .init())
            default: text.append(escape)
            }
        }
        return text
    }

    private static func hexadecimal(_ bytes: Span<UInt8>, _ start: Int) -> UInt32 {
        var value: UInt32 = 0
        for place in start..<start + 4 {
            let byte = UInt32(bytes[place])
            // The digits were checked: those of letters are 9 higher in their low four bits.
            value = value << 4 | (byte & 15 + (byte > 0x39 ? 9 : 0))
        }
        return value
    }
}
