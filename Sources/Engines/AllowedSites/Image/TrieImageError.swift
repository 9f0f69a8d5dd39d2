internal import WireFormat

/// Why bytes are not the image of a ``SiteTrie``.
public enum TrieImageError: Error, Equatable, Sendable {
    /// The file cannot be opened or mapped; `errno` is the operating system's reason.
    case unreadable(errno: Int32)
    /// There are fewer bytes than the image says it has.
    case truncated(needed: Int, available: Int)
    /// There are more bytes than the image says it has.
    case trailingBytes(expected: Int, available: Int)
    /// The bytes do not begin as an image does.
    case notAnImage
    /// The image was made by another version of the compiler.
    case unsupportedVersion(found: UInt32, supported: UInt32)
    /// The image says that its keys are kept in a way that no version of the compiler has.
    case unknownLayout(found: UInt32)
    /// Bytes have changed since the image was made.
    case checksum(found: UInt64, expected: UInt64)
    /// The hash of keys is one by which two keys can become the same.
    case seed
    /// A section does not lie inside the image, or has the wrong length.
    case section(number: Int, offset: UInt64, length: UInt64)
    /// The table of a length of keys leads out of its section.
    case keyTable(keyLength: Int)
    /// A key is no host, or stands where no lookup finds it.
    case key(number: Int)
    /// The rules of a place are out of order or lead nowhere.
    case ruleList(number: Int)
    /// A constraint has values that no rule has.
    case constraint(number: Int)
    /// A path is not the canonical prefix of a rule.
    case path(number: Int)
    /// A network is out of order, or what lies around it is another one than the image says.
    case network(number: Int)
    /// The image was not written: `errno` is the operating system's reason.
    case unwritable(errno: Int32)
}

extension ImageBytes {
    /// Maps the file at `path`, which is to hold the image of a trie.
    convenience init(mappingTrieImageAt path: String) throws(TrieImageError) {
        do throws(ImageFileError) {
            // What is shorter than a header may be another kind of file; its beginning tells.
            try self.init(mappingFile: path, minimum: 1)
        } catch {
            switch error {
            case .unreadable(let errno): throw .unreadable(errno: errno)
            case .tooShort(let available): throw .truncated(needed: TrieImage.headerLength, available: available)
            }
        }
    }
}

extension TrieImageError: CustomStringConvertible {
    /// One line: what is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .unreadable(let errno):
            "the image cannot be read (\(SystemReason.text(errno))): check its path and permissions"
        case .truncated(let needed, let available):
            "the image has \(available) of \(needed) bytes: copy it again"
        case .trailingBytes(let expected, let available):
            "the image has \(available) bytes where \(expected) are expected: copy it again"
        case .notAnImage: "this is no compiled site list: compile the list first"
        case .unsupportedVersion(let found, let supported):
            "the image has version \(found) and this program reads \(supported): compile the list again"
        case .unknownLayout(let found): "the image has keys of an unknown kind, \(found): compile the list again"
        case .checksum(let found, let expected):
            "the checksum is \(String(found, radix: 16)) instead of \(String(expected, radix: 16)): copy or compile again"
        case .seed: "the image hashes keys with an even number, which no compiler does: do not trust its source"
        case .section(let number, let offset, let length):
            "section \(number) at \(offset) with \(length) bytes is not inside the image: compile the list again"
        case .keyTable(let length): "the table of keys of \(length) bytes is broken: compile the list again"
        case .key(let number): "key \(number) is broken: compile the list again"
        case .ruleList(let number): "the rules of place \(number) are broken: compile the list again"
        case .constraint(let number): "constraint \(number) is broken: compile the list again"
        case .path(let number): "path \(number) is broken: compile the list again"
        case .network(let number): "network \(number) is broken: compile the list again"
        case .unwritable(let errno):
            "the image cannot be written (\(SystemReason.text(errno))): name a file in a folder of yours with space left"
        }
    }
}
