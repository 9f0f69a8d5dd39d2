#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Secret bytes that are erased after use: a password, a hash, a session key.
///
/// The bytes lie in one heap block, which is overwritten when the value is destroyed. The type has no description, no
/// `==` and no copy. Use ``SharedSecret`` for several owners. Earlier copies in a `String`, `Data` or buffer are not
/// erased, so convert early.
@safe
public struct SecretBytes: ~Copyable, Sendable {
    // Safe to send: never written after init, and owned by this value only.
    private nonisolated(unsafe) let storage: UnsafeMutableBufferPointer<UInt8>

    /// Copies `bytes` into a new block.
    ///
    /// - Complexity: O(*n*); one allocation.
    public init(copying bytes: Span<UInt8>) {
        unsafe storage = .allocate(capacity: bytes.count)
        // In bounds: the block has `bytes.count` elements.
        for index in bytes.indices { unsafe storage.initializeElement(at: index, to: bytes[index]) }
    }

    /// Copies `bytes` and erases the array.
    ///
    /// The array is erased only if its storage has no other owner; other copies are not erased.
    public init(consuming bytes: inout [UInt8]) {
        self.init(copying: bytes.span)
        erase(&bytes)
    }

    /// The number of bytes.
    public var count: Int { unsafe storage.count }

    /// Calls `body` with the bytes; `body` must not copy them elsewhere.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Valid: `self` owns the block and is borrowed during the call.
        let bytes = unsafe Span(_unsafeElements: UnsafeBufferPointer(storage))
        return try body(bytes)
    }

    deinit {
        // The optimiser may remove a plain store of zeros before deallocation, but not this call.
        unsafe overwrite(UnsafeMutableRawBufferPointer(storage))
        unsafe storage.deallocate()
    }
}

/// Overwrites all bytes with zeros, which the optimiser does not remove, then empties the array.
public func erase(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBytes { unsafe overwrite($0) }
    bytes = []
}

/// Overwrites memory with zeros, which the optimiser does not remove.
package func overwrite(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress, memory.count > 0 else { return }
    #if canImport(Darwin)
        _ = unsafe memset_s(start, memory.count, 0, memory.count)
    #else
        unsafe explicit_bzero(start, memory.count)
    #endif
}
