/// Why a text is not base64.
public enum Base64Error: Error, Equatable, Sendable {
    /// The length is not a multiple of four; padding is required.
    case invalidLength(characters: Int)
    /// The byte at `offset` is outside the alphabet, or is padding before the end.
    case invalidCharacter(offset: Int)
    /// The last digit has unused bits that are not zero, so another text would decode to the same bytes.
    case nonCanonicalEnding
}

extension Base64Error: CustomStringConvertible {
    /// One line: place, problem and remedy.
    public var description: String {
        switch self {
        case .invalidLength(let characters):
            "base64 of \(characters) characters: the length must be a multiple of four, '=' included"
        case .invalidCharacter(let offset):
            "offset \(offset) is outside the base64 alphabet: use A-Z a-z 0-9 + / and '=' only at the end"
        case .nonCanonicalEnding: "the last base64 digit has unused bits that are not zero: encode the bytes again"
        }
    }
}

/// Base64 (RFC 4648 section 4), strict: each byte sequence has exactly one text.
package enum Base64 {
    /// Returns the padded base64 text of `bytes`.
    ///
    /// - Complexity: O(*n*); one allocation.
    package static func encode(_ bytes: Span<UInt8>) -> String {
        let characters = length(of: bytes.count)
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe String(unsafeUninitializedCapacity: characters) { text in
                // In bounds: the capacity is the number of digits.
                unsafe encode(
                    bytes,
                    into: UnsafeMutableRawBufferPointer(start: text.baseAddress, count: characters)
                )
                return characters
            }
        }
    }

    /// Appends the padded base64 text of `bytes`, without a `String`, because the memory of one cannot be erased.
    package static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        let start = text.count
        text.append(contentsOf: repeatElement(0, count: length(of: bytes.count)))
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe text.withUnsafeMutableBytes { text in
                // In bounds: as many bytes as digits were appended.
                unsafe encode(bytes, into: UnsafeMutableRawBufferPointer(rebasing: text[start...]))
            }
        }
    }

    /// Decodes `text`; padding is required, white space is an error.
    package static func decode(_ text: some StringProtocol) throws(Base64Error) -> [UInt8] {
        let decoded: Result<[UInt8], Base64Error>? = text.utf8.withContiguousStorageIfAvailable { characters in
            do throws(Base64Error) {
                return .success(try decode(unsafe Span(_unsafeElements: characters)))
            } catch { return .failure(error) }
        }
        guard let decoded else { return try decode([UInt8](text.utf8).span) }
        return try decoded.get()
    }

    /// Decodes the ASCII `text`; padding is required, white space is an error.
    package static func decode(_ text: Span<UInt8>) throws(Base64Error) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3)
        let count = try decode(text, into: &bytes, at: 0)
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    static let padding = UInt8(ascii: "=")
}
