package import WireFormat

extension SiteTrie {
    /// What is checked before an image answers.
    public enum ImageTrust: Sendable {
        /// Every byte is checked. Use it for each image of unknown origin.
        case validated
        /// Only the header is read, whatever the size. Use it for images that this user compiled and only this user can
        /// write. Changed bytes cannot harm the process, but they can allow any site. See ``isImageUnchanged()``.
        case trusted
    }

    /// The number of bytes that identify an image.
    package static let imageStart = TrieImage.Field.version + 4

    /// Whether `bytes` begin like an image. A list cannot, because the version after the mark contains a NUL.
    package static func isImage(_ bytes: some Collection<UInt8>) -> Bool {
        let start = bytes.prefix(imageStart)
        return start.count == imageStart && start.starts(with: TrieImage.mark.utf8) && start.contains(0)
    }

    /// Maps the image in the file at `path` and answers from it.
    ///
    /// Do not change or shorten the file while a trie uses it. To replace it, write another file and rename it.
    ///
    /// - Parameters:
    ///   - path: a file that ``writeImage(to:)`` wrote.
    ///   - trust: what to check first.
    /// - Complexity: O(*n*) in the bytes of the image; O(1) for a trusted image.
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

    /// Answers from an image that is in memory.
    package init(_ memory: ImageBytes, _ trust: ImageTrust) throws(TrieImageError) {
        self.init(try TrieImage(opening: memory))
        if trust == .validated { try image.validate() }
    }

    /// Whether the checksum fits the bytes of the image.
    ///
    /// Use it for a trusted image, in the background or at installation.
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
        try image.withBytes(body)
    }

    /// Writes the image to the file at `path`. An existing file is replaced atomically; a symbolic link is followed.
    ///
    /// - Throws: ``TrieImageError/unwritable(errno:)``; `ENODEV` if `path` names something other than a regular file.
    public func writeImage(to path: String) throws(TrieImageError) {
        do throws(FileWriteError) {
            try image.withBytes { bytes throws(FileWriteError) in try FileReplacement.write(bytes, to: path) }
        } catch {
            throw .unwritable(errno: error.errno)
        }
    }
}
