internal import Secrets

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Bytes that are read into one block of fixed size, so that no copy stays behind when they grow. The block is erased at the end.
@safe
struct SecretBuffer: ~Copyable {
    /// What one read brought.
    enum Outcome: Equatable {
        case bytes(Int)
        /// No more comes.
        case end
        /// Nothing has come yet.
        case notYet
        /// The block has no room, and more may come.
        case full
        case failed(code: Int32)
    }

    private let storage: UnsafeMutableRawBufferPointer
    /// The most bytes that it holds.
    let capacity: Int
    /// The number of bytes that were read.
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        unsafe storage = .allocate(byteCount: capacity, alignment: 1)
        unsafe storage.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Reads once from `descriptor`.
    mutating func read(from descriptor: Int32) -> Outcome {
        guard count < capacity else { return .full }
        // In bounds: count < capacity, and no more is asked for than is left.
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: storage[count...])
        let got = unsafe systemRead(descriptor, rest)
        switch got {
        case 0: return .end
        case 1...:
            count += got
            return .bytes(got)
        default: return errno == EAGAIN || errno == EINTR ? .notYet : .failed(code: errno)
        }
    }

    /// Calls `body` with the bytes; they must not be copied out of it.
    borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Valid: `self` owns the block and is borrowed during the call; all of it was initialised.
        let filled = unsafe UnsafeRawBufferPointer(rebasing: storage[..<count]).assumingMemoryBound(to: UInt8.self)
        return try body(unsafe Span(_unsafeElements: filled))
    }

    deinit {
        unsafe overwrite(storage)
        unsafe storage.deallocate()
    }
}

// Outside the type, whose own `read` would hide the system's.
private func systemRead(_ descriptor: Int32, _ memory: UnsafeMutableRawBufferPointer) -> Int {
    unsafe read(descriptor, memory.baseAddress, memory.count)
}
