#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The bytes of an image: memory of our own, or a file that is mapped; either never changes while it is held.
///
/// This is the one place of the target that holds memory by address.
@safe
final class PinImageBytes: Sendable {
    // Nobody writes to it once it is set up.
    nonisolated(unsafe) private let start: UnsafeRawPointer
    let count: Int
    private let isMapped: Bool

    /// The size of a large page, and from what on it is worth asking for them.
    private static let hugePage = 2 << 20

    /// Copies `bytes`.
    init(copying bytes: [UInt8]) {
        let isLarge = bytes.count >= Self.hugePage
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(bytes.count, 1),
            alignment: isLarge ? Self.hugePage : 64
        )
        #if os(Linux)
            // A look-up among a million pins meets three pages, and with small ones three misses of the translation cache.
            if isLarge { unsafe madvise(memory.baseAddress, bytes.count, MADV_HUGEPAGE) }
        #endif
        unsafe memory.copyBytes(from: bytes)
        unsafe start = UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
        count = bytes.count
        isMapped = false
    }

    /// Maps the file at `path` for reading.
    ///
    /// Whoever can write to the file must not do so while it is in use: put a new one in its place instead. All reads are
    /// checked against the length at the time of mapping, so a changed file can give wrong answers but no others' memory.
    init(mappingFile path: String) throws(PinImageError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(code: errno) }
        count = Int(status.st_size)
        guard count > 0 else { throw .truncated(needed: PinImage.smallest, available: 0) }
        guard let memory = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), unsafe memory != MAP_FAILED
        else { throw .unreadable(code: errno) }
        unsafe start = UnsafeRawPointer(memory)
        isMapped = true
    }

    deinit {
        let memory = unsafe UnsafeMutableRawPointer(mutating: start)
        if isMapped { unsafe munmap(memory, count) } else { unsafe memory.deallocate() }
    }

    /// Calls `body` with the bytes.
    @inline(__always)
    func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Valid: `self` owns the memory and outlives the call.
        let bytes = unsafe UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
        let result = try body(unsafe Span(_unsafeElements: bytes))
        withExtendedLifetime(self) {}
        return result
    }
}
