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
        let members: [String: Range<Int>]? = try text.withBytes { (bytes) throws(TokenServiceError) in
            do throws(JSONProblem) {
                try JSONCheck.check(bytes)
                return try Self.members(of: bytes, JSONScanner(startOf: bytes))
            } catch {
                throw .notJSON(error.description)
            }
        }
        guard let members else { throw .notJSON("line 1: an object was expected") }
        self.init(text, members)
    }

    private init(_ text: SharedSecret, _ members: [String: Range<Int>]) {
        (self.text, self.members) = (text, members)
    }

    /// The members of the object where `scanner` stands; `nil` for another value. The whole text was checked before.
    private static func members(
        of bytes: Span<UInt8>,
        _ scanner: JSONScanner
    ) throws(JSONProblem) -> [String: Range<Int>]? {
        var scanner = scanner
        guard scanner.skip(UInt8(ascii: "{"), bytes) else { return nil }
        var members: [String: Range<Int>] = [:]
        while !scanner.skip(UInt8(ascii: "}"), bytes) {
            let name = String(decoding: try scanner.text(bytes), as: UTF8.self)
            _ = scanner.skip(UInt8(ascii: ":"), bytes)
            scanner.skipSpace(bytes)
            let start = scanner.position
            try scanner.skipValue(bytes)
            let range = start..<scanner.position
            // Null is the only value that begins with this letter.
            let isAbsent = bytes[start] == UInt8(ascii: "n") || bytes[start] == UInt8(ascii: "\"") && range.count == 2
            if !isAbsent { members[name] = range }
            _ = scanner.skip(UInt8(ascii: ","), bytes)
        }
        return members
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
        guard var scanner = scanner(name) else { return nil }
        return text.withBytes { bytes in scanner.boolean(bytes) }
    }

    /// An object inside this one.
    func object(_ name: String) -> JSONMembers? {
        guard let scanner = scanner(name) else { return nil }
        let inner = text.withBytes { bytes in try? Self.members(of: bytes, scanner) }
        return inner.map { JSONMembers(text, $0) }
    }

    /// An array of texts; other elements are left out.
    func strings(_ name: String) -> [String]? {
        guard var scanner = scanner(name) else { return nil }
        return text.withBytes { bytes in
            guard scanner.skip(UInt8(ascii: "["), bytes) else { return nil }
            var strings: [String] = []
            while !scanner.skip(UInt8(ascii: "]"), bytes) {
                if bytes[scanner.position] == UInt8(ascii: "\"") {
                    guard let string = try? scanner.text(bytes) else { return nil }
                    strings.append(String(decoding: string, as: UTF8.self))
                } else if (try? scanner.skipValue(bytes)) == nil {
                    return nil
                }
                _ = scanner.skip(UInt8(ascii: ","), bytes)
            }
            return strings
        }
    }

    private func withString<Result>(_ name: String, _ body: ([UInt8]) -> Result) -> Result? {
        guard var scanner = scanner(name) else { return nil }
        return text.withBytes { bytes in
            guard bytes[scanner.position] == UInt8(ascii: "\"") else { return nil }
            var value: [UInt8]
            do throws(JSONProblem) { value = try scanner.text(bytes) } catch { return nil }
            defer { erase(&value) }
            return body(value)
        }
    }

    /// A scanner at the first byte of a member's value.
    private func scanner(_ name: String) -> JSONScanner? {
        members[name].map { JSONScanner(at: $0.lowerBound) }
    }
}
