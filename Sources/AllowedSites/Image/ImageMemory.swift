#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The bytes of an image, in memory of their own or mapped from a file; they never move and never change.
@safe
final class ImageMemory: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    private let isMapped: Bool

    /// Sections and lines of the processor's cache then begin at the same places.
    static let alignment = 64

    /// Copies `bytes`.
    init(copying bytes: Span<UInt8>) {
        let count = bytes.count
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: Self.alignment)
        // Both have `count` bytes.
        unsafe bytes.withUnsafeBytes { unsafe copy.copyMemory(from: $0) }
        unsafe self.bytes = UnsafeRawBufferPointer(copy)
        isMapped = false
    }

    /// Takes over what a writer made.
    init(adopting bytes: UnsafeMutableRawBufferPointer) {
        unsafe self.bytes = UnsafeRawBufferPointer(bytes)
        isMapped = false
    }

    /// Maps the whole file at `path`, to be read only.
    init(mapping path: String) throws(TrieImageError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(errno: errno) }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(errno: errno) }
        let count = Int(status.st_size)
        guard status.st_mode & S_IFMT == S_IFREG, count >= TrieImage.headerLength else {
            throw .truncated(needed: TrieImage.headerLength, available: max(count, 0))
        }
        let mapping = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0)
        guard let mapping = unsafe mapping, unsafe mapping != MAP_FAILED else { throw .unreadable(errno: errno) }
        unsafe bytes = UnsafeRawBufferPointer(start: mapping, count: count)
        isMapped = true
    }

    deinit {
        if isMapped {
            // The mapping was made by `init(mapping:)` with this length, and nobody else knows of it.
            unsafe munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
        } else {
            unsafe bytes.deallocate()
        }
    }
}
