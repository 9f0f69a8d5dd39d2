package import WireFormat

extension SiteTrie {
    /// How closely an image is looked at before it answers.
    public enum ImageTrust: Sendable {
        /// Every byte is checked. The choice for an image that came from anywhere else.
        case validated
        /// Only the header is read, whatever the size. For images that this user's own compiler made and nobody else can
        /// write to: other bytes cannot harm the process, but they can say yes to anything. See ``isImageUnchanged()``.
        case trusted
    }

    /// How many bytes tell an image from everything else.
    package static let imageStart = TrieImage.Field.version + 4

    /// Whether `bytes` begin as images do, and no list: behind the mark stands a number with a NUL in it.
    package static func isImage(_ bytes: some Collection<UInt8>) -> Bool {
        let start = bytes.prefix(imageStart)
        return start.count == imageStart && start.starts(with: TrieImage.mark.utf8) && start.contains(0)
    }

    /// Maps the image in the file at `path` and answers from it.
    ///
    /// The file must not be changed or shortened while a trie uses it; to replace it, write another file and rename it.
    ///
    /// - Parameters:
    ///   - path: a file that ``writeImage(to:)`` made.
    ///   - trust: what to check first.
    /// - Complexity: O(*n*) in the bytes of the image; independent of them for a trusted one.
    /// - Throws: ``TrieImageError``.
    public init(mappingImageAt path: String, _ trust: ImageTrust = .validated) throws(TrieImageError) {
        try self.init(ImageBytes(mappingTrieImageAt: path), trust)
    }

    /// Copies the image in `bytes` and answers from the copy.
    ///
    /// - Throws: ``TrieImageError``.
    public init(copyingImage bytes: Span<UInt8>, _ trust: ImageTrust = .validated) throws(TrieImageError) {
        try self.init(ImageBytes(copying: bytes), trust)
    }

    /// Answers from an image whose bytes somebody mapped or made.
    package init(_ memory: ImageBytes, _ trust: ImageTrust) throws(TrieImageError) {
        self.init(try TrieImage(opening: memory))
        if trust == .validated { try image.validate() }
    }

    /// Whether the bytes of the image are those that were once made, by their checksum.
    ///
    /// For an image that was opened as trusted, in the background or when it is installed.
    ///
    /// - Complexity: O(*n*) in the bytes of the image.
    public func isImageUnchanged() -> Bool {
        let checksum = image.contentChecksum()
        return checksum.found == checksum.expected
    }

    /// The size of the image in bytes.
    public var imageSize: Int { image.memory.count }

    /// Calls `body` with the bytes of the image.
    public func withImage<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(image.memory.unsafeBytes.bindMemory(to: UInt8.self).span)
    }

    /// Writes the image to the file at `path`, which is replaced in one step if it exists; a link leads to the file behind it.
    ///
    /// - Throws: ``TrieImageError/unwritable(errno:)``; `ENODEV` for what is there and is no regular file.
    public func writeImage(to path: String) throws(TrieImageError) {
        do throws(FileWriteError) {
            try FileReplacement.write(unsafe image.memory.unsafeBytes.bindMemory(to: UInt8.self).span, to: path)
        } catch {
            throw .unwritable(errno: error.errno)
        }
    }
}
