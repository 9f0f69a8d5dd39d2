#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The bytes of a compiled image: memory of their own, or a file that is mapped. They never move and never change.
@safe
public final class ImageBytes: Sendable {
    // Nobody writes to it once it is set up.
    @usableFromInline nonisolated(unsafe) let start: UnsafeRawPointer
    /// How many bytes there are.
    public let count: Int
    private let isMapped: Bool

    /// Sections and lines of the processor's cache then begin at the same places.
    package static let alignment = 64
    /// The size of a large page, and from what on it is worth asking for them.
    private static let hugePage = 2 << 20

    /// Copies `bytes`.
    package init(copying bytes: Span<UInt8>) {
        let isLarge = bytes.count >= Self.hugePage
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(bytes.count, 1),
            alignment: isLarge ? Self.hugePage : Self.alignment
        )
        #if os(Linux)
            // A look-up in a large image meets three pages, and with small ones three misses of the translation cache.
            if isLarge { unsafe madvise(memory.baseAddress, bytes.count, MADV_HUGEPAGE) }
        #endif
        // `memory` has room for all of them.
        unsafe bytes.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
        // Not nil: at least one byte was allocated.
        unsafe start = UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
        count = bytes.count
        isMapped = false
    }

    /// Takes over memory that a writer allocated, of which the first `count` bytes are the image.
    @unsafe
    package init(adopting memory: UnsafeMutableRawPointer, count: Int) {
        unsafe start = UnsafeRawPointer(memory)
        self.count = count
        isMapped = false
    }

    /// Maps the whole file at `path` for reading.
    ///
    /// Whoever can write to the file must not do so while it is in use: put a new one in its place instead. A file that
    /// changes can give wrong answers, one that shrinks ends the process.
    ///
    /// - Parameter minimum: how many bytes the smallest image has, at least one.
    /// - Throws: ``ImageFileError``.
    package init(mappingFile path: String, minimum: Int) throws(ImageFileError) {
        // A pipe without a writer would hold up everything but for O_NONBLOCK.
        // The bytes where they stand: as an argument, a string is copied into an array, whose type has to be made first.
        let descriptor = unsafe SystemPath.withSystemPath(path) { unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw .unreadable(errno: errno) }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .unreadable(errno: ENODEV) }
        count = Int(status.st_size)
        guard count >= max(minimum, 1) else { throw .tooShort(available: count) }
        guard let memory = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), unsafe memory != MAP_FAILED
        else { throw .unreadable(errno: errno) }
        unsafe start = UnsafeRawPointer(memory)
        isMapped = true
    }

    deinit {
        let memory = unsafe UnsafeMutableRawPointer(mutating: start)
        // Whoever mapped or allocated it handed it over, and nobody else frees it.
        if isMapped { unsafe munmap(memory, count) } else { unsafe memory.deallocate() }
    }

    /// All of them, by address; valid for as long as `self` lives.
    @unsafe
    package var unsafeBytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: count) }

    /// Calls `body` with all of them.
    @inlinable @inline(__always)
    package func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Valid: `self` owns the memory and outlives the call.
        let bytes = unsafe UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
        let result = try body(unsafe Span(_unsafeElements: bytes))
        withExtendedLifetime(self) {}
        return result
    }
}

/// Why a file was not mapped.
package enum ImageFileError: Error, Equatable, Sendable {
    /// The file cannot be opened or mapped, `errno` is the operating system's reason; `ENODEV` for what is no regular file.
    case unreadable(errno: Int32)
    /// The file has fewer bytes than any image.
    case tooShort(available: Int)
}
