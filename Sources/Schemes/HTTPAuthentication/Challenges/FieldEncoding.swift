internal import WireFormat

/// The encoding of a field value (RFC 9110 section 5.5: field values historically were ISO-8859-1).
///
/// A server compares the bytes of realm, nonce and opaque with those that it sent, and hashes them. An answer therefore
/// repeats the bytes of the challenge and does not interpret them.
package enum FieldEncoding: Equatable, Sendable {
    /// The bytes are UTF-8.
    case utf8
    /// The bytes are not UTF-8; each character of the text is one byte, U+0000 to U+00FF.
    case latin1

    /// The text of bytes that are not UTF-8.
    static func latin1Text(of bytes: some Sequence<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(UnicodeScalar(byte)) }
        return String(text)
    }

    /// The bytes of `text`.
    ///
    /// - Precondition: in ``latin1`` no character of `text` is above U+00FF.
    func bytes(of text: String) -> [UInt8] {
        switch self {
        case .utf8: [UInt8](text.utf8)
        case .latin1: text.unicodeScalars.map { UInt8($0.value) }
        }
    }

    /// Appends the bytes of `text`.
    ///
    /// - Precondition: in ``latin1`` no character of `text` is above U+00FF.
    func append(_ text: String, to bytes: inout [UInt8]) {
        switch self {
        case .utf8: bytes.append(copying: text.utf8.span)
        case .latin1: bytes.append(contentsOf: text.unicodeScalars.lazy.map { UInt8($0.value) })
        }
    }

    /// A text whose bytes in this encoding are the UTF-8 bytes of `text`.
    func carrying(utf8 text: String) -> String {
        self == .utf8 ? text : Self.latin1Text(of: text.utf8)
    }
}
