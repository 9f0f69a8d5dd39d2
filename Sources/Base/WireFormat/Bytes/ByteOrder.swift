// Forced inlining, because the optimiser leaves some of these functions as calls, and tables are read word by word. One
// unsafe load each, because a sum of single bytes is too long to be inlined before it becomes one load.

/// Reads the little-endian `UInt16` that starts at `offset`, or returns `nil` past the end.
@inlinable @inline(__always)
package func littleEndianUInt16(in bytes: Span<UInt8>, at offset: Int) -> UInt16? {
    guard offset >= 0, bytes.count - offset >= 2 else { return nil }
    // In bounds: checked above.
    return unsafe UInt16(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
}

/// Reads the little-endian `UInt32` that starts at `offset`, or returns `nil` past the end.
@inlinable @inline(__always)
package func littleEndianUInt32(in bytes: Span<UInt8>, at offset: Int) -> UInt32? {
    guard offset >= 0, bytes.count - offset >= 4 else { return nil }
    // In bounds: checked above.
    return unsafe UInt32(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
}

/// Reads the little-endian `UInt64` that starts at `offset`, or returns `nil` past the end.
@inlinable @inline(__always)
package func littleEndianUInt64(in bytes: Span<UInt8>, at offset: Int) -> UInt64? {
    guard offset >= 0, bytes.count - offset >= 8 else { return nil }
    // In bounds: checked above.
    return unsafe UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
}

extension [UInt8] {
    /// Appends the bytes of `value`, least significant first.
    @inlinable
    package mutating func append(littleEndian value: some FixedWidthInteger & UnsignedInteger) {
        var rest = value
        for _ in 0..<(type(of: value).bitWidth / 8) {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// Appends a copy of every byte of `bytes`.
    @inlinable
    package mutating func append(copying bytes: Span<UInt8>) {
        // One append, because byte by byte takes twenty times as long: each append checks the capacity.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Makes an array that holds a copy of `bytes`.
    @inlinable
    package init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe [UInt8]($0) }
    }
}
