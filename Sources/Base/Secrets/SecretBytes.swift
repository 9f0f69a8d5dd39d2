#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Bytes that must not outlive their use: a password, a hash, a session key.
///
/// The bytes live in one heap block that is overwritten when the owner goes. There is no description, no `==` and no
/// copy; a holder that needs several owners uses ``SharedSecret``. What a `String`, `Data` or buffer held before the
/// bytes came here is out of reach, so convert early.
@safe
public struct SecretBytes: ~Copyable, Sendable {
    // Never written after init, and owned by this value alone: sending it between threads shares nothing mutable.
    private nonisolated(unsafe) let storage: UnsafeMutableBufferPointer<UInt8>

    /// Copies `bytes` into a block of its own.
    ///
    /// - Complexity: O(*n*); one allocation.
    public init(copying bytes: Span<UInt8>) {
        unsafe storage = .allocate(capacity: bytes.count)
        // In bounds: the block was allocated with bytes.count elements.
        for index in bytes.indices { unsafe storage.initializeElement(at: index, to: bytes[index]) }
    }

    /// Takes over the contents of `bytes` and overwrites the array that held them.
    ///
    /// The array is erased only where it owns its storage alone; another copy of it stays as it is.
    public init(consuming bytes: inout [UInt8]) {
        self.init(copying: bytes.span)
        erase(&bytes)
    }

    /// How many bytes there are.
    public var count: Int { unsafe storage.count }

    /// Calls `body` with the bytes; they must not be copied out of it.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Valid: the block lives as long as self, which is borrowed for the whole call.
        let bytes = unsafe Span(_unsafeElements: UnsafeBufferPointer(storage))
        return try body(bytes)
    }

    deinit {
        // A plain store of zeros may be dropped as dead; this call may not.
        unsafe overwrite(UnsafeMutableRawBufferPointer(storage))
        unsafe storage.deallocate()
    }
}

/// Overwrites every byte of `bytes` with zero in a way that the optimiser keeps, then empties the array.
public func erase(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBytes { unsafe overwrite($0) }
    bytes = []
}

private func overwrite(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress, memory.count > 0 else { return }
    #if canImport(Darwin)
        _ = unsafe memset_s(start, memory.count, 0, memory.count)
    #else
        unsafe explicit_bzero(start, memory.count)
    #endif
}
