internal import WireFormat

/// Why bytes are not the image of a ``SiteTrie``.
public enum TrieImageError: Error, Equatable, Sendable {
    /// The file cannot be opened or mapped; `errno` is the operating system's reason.
    case unreadable(errno: Int32)
    /// There are fewer bytes than the image says it has.
    case truncated(needed: Int, available: Int)
    /// There are more bytes than the image says it has.
    case trailingBytes(expected: Int, available: Int)
    /// The bytes do not begin like an image.
    case notAnImage
    /// The image was made by another version of the compiler.
    case unsupportedVersion(found: UInt32, supported: UInt32)
    /// The image has a layout number that this version does not know.
    case unknownLayout(found: UInt32)
    /// Bytes have changed since the image was made.
    case checksum(found: UInt64, expected: UInt64)
    /// The seed of the hash is even, so two keys could become equal.
    case seed
    /// A section does not lie inside the image, or has the wrong length.
    case section(number: Int, offset: UInt64, length: UInt64)
    /// The table of the keys of one length lies outside its section.
    case keyTable(keyLength: Int)
    /// A key is not a host name, or a lookup does not find it in its slot.
    case key(number: Int)
    /// The rule list of a node is out of order or refers to missing rules.
    case ruleList(number: Int)
    /// A constraint has values that no rule can have.
    case constraint(number: Int)
    /// A path is not the canonical prefix of a rule.
    case path(number: Int)
    /// A network is out of order or refers to a wrong wider network.
    case network(number: Int)
    /// The image was not written: `errno` is the operating system's reason.
    case unwritable(errno: Int32)
}

extension ImageBytes {
    /// Maps the file at `path` as the image of a trie.
    convenience init(mappingTrieImageAt path: String) throws(TrieImageError) {
        do throws(ImageFileError) {
            // A file shorter than a header may be of another kind; opening the image tells from its first bytes.
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
        case .notAnImage: "this is not a compiled site list: compile the list first"
        case .unsupportedVersion(let found, let supported):
            "the image has version \(found) and this program reads \(supported): compile the list again"
        case .unknownLayout(let found): "the image has the unknown layout \(found): compile the list again"
        case .checksum(let found, let expected):
            "the checksum is \(String(found, radix: 16)) instead of \(String(expected, radix: 16)): copy or compile again"
        case .seed: "the seed of the image is even, which this compiler never writes: do not trust its source"
        case .section(let number, let offset, let length):
            "section \(number) at \(offset) with \(length) bytes is not inside the image: compile the list again"
        case .keyTable(let length): "the table of keys of \(length) bytes is broken: compile the list again"
        case .key(let number): "key \(number) is broken: compile the list again"
        case .ruleList(let number): "the rules of node \(number) are broken: compile the list again"
        case .constraint(let number): "constraint \(number) is broken: compile the list again"
        case .path(let number): "path \(number) is broken: compile the list again"
        case .network(let number): "network \(number) is broken: compile the list again"
        case .unwritable(let errno):
            "the image cannot be written (\(SystemReason.text(errno))): choose a folder that you can write to and that has free space"
        }
    }
}
