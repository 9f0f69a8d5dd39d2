#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The bytes of a compiled image: owned memory or a mapped file. They never move and never change.
@safe
public final class ImageBytes: Sendable {
    // Never written after initialisation.
    @usableFromInline nonisolated(unsafe) let start: UnsafeRawPointer
    /// The number of bytes.
    public let count: Int
    private let isMapped: Bool

    /// The alignment of owned memory in bytes: one cache line, so that sections begin at cache lines.
    package static let alignment = 64
    /// The size of a large page in bytes. Images of at least this size request large pages.
    private static let hugePage = 2 << 20

    /// Copies `bytes`.
    package init(copying bytes: Span<UInt8>) {
        let isLarge = bytes.count >= Self.hugePage
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(bytes.count, 1),
            alignment: isLarge ? Self.hugePage : Self.alignment
        )
        #if os(Linux)
            // A lookup in a large image reads three pages. With small pages each of them is a TLB miss.
            if isLarge { unsafe madvise(memory.baseAddress, bytes.count, MADV_HUGEPAGE) }
        #endif
        // In bounds: `memory` has `bytes.count` bytes.
        unsafe bytes.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
        // Not nil, because at least one byte was allocated.
        unsafe start = UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
        count = bytes.count
        isMapped = false
    }

    /// Takes ownership of memory whose first `count` bytes are the image.
    @unsafe
    package init(adopting memory: UnsafeMutableRawPointer, count: Int) {
        unsafe start = UnsafeRawPointer(memory)
        self.count = count
        isMapped = false
    }

    /// Maps the whole file at `path` for reading.
    ///
    /// Do not write to the file while it is mapped; replace it by renaming a new file. A changed file can give wrong
    /// answers, and a shortened file ends the process.
    ///
    /// - Parameter minimum: the size of the smallest image in bytes, at least 1.
    /// - Throws: ``ImageFileError``.
    package init(mappingFile path: String, minimum: Int) throws(ImageFileError) {
        // O_NONBLOCK, because opening a pipe without a writer would block.
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
        // `self` is the only owner of the memory.
        if isMapped { unsafe munmap(memory, count) } else { unsafe memory.deallocate() }
    }

    /// The bytes by address; valid while `self` lives.
    @unsafe
    package var unsafeBytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: count) }

    /// Calls `body` with the bytes.
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
    /// The file cannot be opened or mapped. `errno` is the operating system's reason; `ENODEV` if the path is not a
    /// regular file.
    case unreadable(errno: Int32)
    /// The file has fewer bytes than any image.
    case tooShort(available: Int)
}
