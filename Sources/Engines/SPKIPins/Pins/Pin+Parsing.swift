internal import WireFormat

/// Why a text is not a pin; the error does not contain the text.
public enum PinError: Error, Equatable, Sendable {
    /// The text is longer than any pin.
    case tooLong(characters: Int, limit: Int)
    /// The text before the slash is not `sha256`.
    case unknownAlgorithm
    /// The text is a SHA-1 pin, by its name or by its 20 bytes.
    case sha1
    /// The text encodes a number of bytes other than 32.
    case wrongLength(bytes: Int)
    /// The number of hexadecimal digits is not 64, in a form that takes only these.
    case wrongDigits(count: Int)
    /// The character at `offset` is not a hexadecimal digit, in a form that takes only these.
    case notHexadecimal(offset: Int)
    /// The character at `offset` of the whole text is not base64.
    case invalidCharacter(offset: Int)
    /// The base64 is not padded to a multiple of four characters, or has stray bits at its end.
    case invalidEnding
    /// All bytes are zero, however many: a placeholder.
    case allZero
    /// The hash of the empty input or of one line end: what a pipeline prints whose first part failed.
    case hashOfNothing
}

extension PinError: CustomStringConvertible {
    /// One line: what is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .tooLong(let characters, let limit): "pin of \(characters) characters: at most \(limit) are read"
        case .unknownAlgorithm: "pin of an unknown hash: write sha256/ and the base64 of 32 bytes"
        case .sha1: "SHA-1 pin: two keys can be made to share one; hash the key with SHA-256"
        case .wrongLength(let bytes):
            "pin of \(bytes) bytes: SHA-256 has exactly 32, written as 44 characters of base64 or 64 hexadecimal digits"
        case .wrongDigits(let count): "pin of \(count) hexadecimal digits: SHA-256 has exactly 64; write the whole hash"
        case .notHexadecimal(let offset):
            "character \(offset) of the pin is not a hexadecimal digit: write the SHA-256 of the key as 64 of them, not as base64"
        case .invalidCharacter(let offset): "character \(offset) of the pin is not base64 (A-Z a-z 0-9 + / =)"
        case .invalidEnding: "the base64 of the pin is cut short or has stray bits: 32 bytes are 43 characters and ="
        case .allZero: "pin of zeros: a placeholder that no key has; put the pin of a real key there"
        case .hashOfNothing:
            "pin of an empty input: the command that made it had no key to hash; make it again and look at its errors"
        }
    }
}

extension Pin {
    /// The most characters that are read. The longest pin has 64; longer hashes are refused by name.
    package static let mostCharacters = 256

    /// Reads a pin in one of its common forms, and refuses values that can never match.
    ///
    /// | form | known from |
    /// |---|---|
    /// | `sha256/` and base64 | OkHttp, Android, and `description` |
    /// | `sha256//` and base64 | curl |
    /// | base64 of 32 bytes | RFC 7469, TrustKit |
    /// | 64 hexadecimal digits | fingerprints, TLSA |
    ///
    /// Base64 is padded and strict, so a pin has one spelling; no white space.
    public init(parsing text: some StringProtocol) throws(PinError) {
        let characters = [UInt8](text.utf8)
        guard characters.count <= Self.mostCharacters else {
            throw .tooLong(characters: characters.count, limit: Self.mostCharacters)
        }
        let prefixLength = try Self.lengthOfPrefix(of: characters)
        let digits = characters[prefixLength...]
        let bytes =
            if prefixLength == 0, digits.count == 64 || digits.count == 40, let bytes = try? Hexadecimal.decode(text) {
                bytes
            } else {
                try Self.decodeBase64(digits)
            }
        guard bytes.isEmpty || bytes.contains(where: { $0 != 0 }) else { throw .allZero }
        guard bytes.count != 20 else { throw .sha1 }
        guard let pin = Pin(digest: bytes.span) else { throw .wrongLength(bytes: bytes.count) }
        guard !Self.hashesOfNothing.contains(pin) else { throw .hashOfNothing }
        self = pin
    }

    /// Reads a pin from a form in which it is 64 hexadecimal digits and nothing else.
    package init(hexadecimal text: String) throws(PinError) {
        let characters = text.utf8
        guard characters.count <= Self.mostCharacters else {
            throw .tooLong(characters: characters.count, limit: Self.mostCharacters)
        }
        for (offset, character) in characters.enumerated() where !Character(Unicode.Scalar(character)).isHexDigit {
            throw .notHexadecimal(offset: offset)
        }
        guard characters.isEmpty || characters.contains(where: { $0 != UInt8(ascii: "0") }) else { throw .allZero }
        guard characters.count != 40 else { throw .sha1 }
        guard characters.count == 64 else { throw .wrongDigits(count: characters.count) }
        try self.init(parsing: text)
    }

    /// What a pipeline of OpenSSL and a hash prints if no key reaches the hash, with and without the line end of `echo`.
    private static let hashesOfNothing = [[], [0x0A], [0x0D, 0x0A]].map { (nothing: [UInt8]) in
        Pin(hashing: nothing.span)
    }

    /// How many characters `sha256/` or `sha256//` takes; 0 without one of them.
    private static func lengthOfPrefix(of characters: [UInt8]) throws(PinError) -> Int {
        // Forty-four characters are a pin without a prefix, even one whose base64 happens to start like a name.
        guard characters.count != base64Length, characters.starts(with: "sha".utf8) else { return 0 }
        if characters.starts(with: "sha256/".utf8) {
            // The base64 of one pin in 64 starts with a slash itself; the length tells it from curl's second slash.
            let hasSecondSlash = characters.starts(with: "sha256//".utf8)
            return hasSecondSlash && characters.count != 7 + base64Length ? 8 : 7
        }
        if characters.starts(with: "sha1/".utf8) { throw .sha1 }
        throw .unknownAlgorithm
    }

    /// How many characters the base64 of 32 bytes has.
    private static let base64Length = 44

    private static func decodeBase64(_ digits: ArraySlice<UInt8>) throws(PinError) -> [UInt8] {
        let text = [UInt8](digits)
        do throws(Base64Error) {
            return try Base64.decode(text.span)
        } catch .invalidCharacter(let offset) {
            throw .invalidCharacter(offset: digits.startIndex + offset)
        } catch {
            throw .invalidEnding
        }
    }
}
