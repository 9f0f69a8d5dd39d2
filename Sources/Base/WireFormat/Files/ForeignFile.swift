/// A form of a file that a reader of text does not take, recognised by the first bytes.
package enum ForeignFile: Equatable, Sendable {
    /// UTF-16 with its byte order mark, as PowerShell and some editors of Windows write it.
    case utf16(isBigEndian: Bool)
    case utf32
    /// A compressed file: its format, and the program that unpacks it.
    case compressed(kind: String, unpacker: String)
    /// DER, such as a certificate or a PKCS #12 file.
    case der

    /// The form of a file that begins with `bytes`; `nil` for text and for unknown forms.
    package init?(_ bytes: Span<UInt8>) {
        func begins(_ beginning: [UInt8]) -> Bool {
            bytes.count >= beginning.count && beginning.indices.allSatisfy { bytes[$0] == beginning[$0] }
        }
        // FF FE 00 00 is UTF-32 and not UTF-16 with a NUL, which no text begins with.
        if begins([0xff, 0xfe, 0, 0]) || begins([0, 0, 0xfe, 0xff]) {
            self = .utf32
        } else if begins([0xff, 0xfe]) || begins([0xfe, 0xff]) {
            self = .utf16(isBigEndian: bytes[0] == 0xfe)
        } else if let (_, kind, unpacker) = Self.compressions.first(where: { begins($0.0) }) {
            self = .compressed(kind: kind, unpacker: unpacker)
        } else if Self.isDER(bytes) {
            self = .der
        } else {
            return nil
        }
    }

    /// The number of bytes at the start of a file that ``init(_:)`` needs.
    package static let startLength = 10

    /// The first bytes of compressed files (RFC 1952 section 2.3.1, RFC 8878 section 3.1.1, and the formats of the others).
    private static let compressions: [([UInt8], String, String)] = [
        ([0x1f, 0x8b], "gzip", "gunzip"), ([0x50, 0x4b, 3, 4], "a ZIP archive", "unzip"),
        // With the default level, and the first block's mark: a text may begin with the first four bytes.
        ([0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59], "bzip2", "bunzip2"),
        ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], "xz", "unxz"),
        ([0x28, 0xb5, 0x2f, 0xfd], "Zstandard", "unzstd"),
    ]

    /// Whether the bytes begin with a SEQUENCE whose length field has two to four bytes (X.690 8.1.3), as certificates and keys do. No
    /// text in ASCII begins like this.
    private static func isDER(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 4 && bytes[0] == 0x30 && (0x81...0x83).contains(bytes[1])
    }

    /// How many bytes at the start of a text say only that it is UTF-8: Windows PowerShell and some editors write the mark U+FEFF there.
    package static func markLength(_ bytes: Span<UInt8>) -> Int {
        bytes.count >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf ? 3 : 0
    }

    /// The bytes of a text file in UTF-8, without the mark of that. UTF-16 is converted; a file of another form is refused.
    ///
    /// - Complexity: O(*n*) for UTF-16 and with a mark, and otherwise O(1).
    package static func text(_ bytes: [UInt8]) throws(ForeignFile) -> [UInt8] {
        guard let form = ForeignFile(bytes.span) else {
            let mark = markLength(bytes.span)
            return mark == 0 ? bytes : Array(bytes.dropFirst(mark))
        }
        guard case .utf16(let isBigEndian) = form, bytes.count % 2 == 0 else { throw form }
        let high = isBigEndian ? 0 : 1
        let units = stride(from: 2, to: bytes.count, by: 2).lazy.map { (place: Int) -> UInt16 in
            UInt16(bytes[place + high]) << 8 | UInt16(bytes[place + 1 - high])
        }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / 2)
        // Half of a surrogate pair is an error, and is not replaced.
        let isBroken = transcode(units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true) {
            text.append($0)
        }
        guard !isBroken else { throw form }
        return text
    }
}

extension ForeignFile: Error {}

extension ForeignFile: CustomStringConvertible {
    /// One line without the place: what the file is, and what to do.
    package var description: String {
        switch self {
        case .utf16: "this is UTF-16: save it as UTF-8, as PowerShell does with 'Out-File -Encoding utf8'"
        case .utf32: "this is UTF-32: save it as UTF-8"
        case .compressed(let kind, let unpacker): "this is \(kind): unpack it first, with \(unpacker)"
        case .der: "this is binary (DER), such as a certificate or a key, and no text: name the right file"
        }
    }
}
