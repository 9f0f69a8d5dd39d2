/// Writes bytes into memory of a size that is computed before.
///
/// Use it for messages that are built once, in place: the memory never grows or moves, and a wrong size fails a
/// precondition.
///
/// The type is public although no product exports it, because Swift 6.3 inlines methods of a public type into other
/// modules, but not those of a `package` type (seen in the machine code).
@safe
public struct ByteWriter: ~Copyable {
    // Valid during the call that passes this writer; see `filling`.
    @usableFromInline let memory: UnsafeMutableRawBufferPointer
    /// The number of bytes written.
    @usableFromInline package var count = 0

    @usableFromInline
    init(_ memory: UnsafeMutableRawBufferPointer) { unsafe self.memory = memory }

    /// Makes an array of `count` bytes, which `body` writes.
    ///
    /// - Parameters:
    ///   - leading: number of scratch bytes that `body` writes first; they are not in the array.
    ///   - count: number of bytes of the array.
    ///   - body: writes both, one behind the other.
    /// - Complexity: one allocation.
    /// - Precondition: `body` writes exactly `leading + count` bytes.
    @inlinable
    package static func filling(leading: Int = 0, count: Int, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: leading + count) { buffer, initialized in
            // In bounds: the capacity is `leading + count`.
            let memory = unsafe UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: leading + count)
            var writer = unsafe ByteWriter(memory)
            body(&writer)
            precondition(writer.count == leading + count, "a message of another size than was worked out")
            if leading > 0 {
                // In bounds: both ranges have `count` bytes. They may overlap.
                unsafe memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[leading...]))
            }
            initialized = count
        }
    }

    /// Makes a text of `count` bytes, which `body` writes in UTF-8.
    ///
    /// - Complexity: one allocation, and none for 15 bytes or fewer.
    /// - Precondition: `body` writes exactly `count` bytes.
    package static func text(count: Int, _ body: (inout ByteWriter) -> Void) -> String {
        unsafe String(unsafeUninitializedCapacity: count) { buffer in
            // In bounds: the capacity is at least `count`.
            var writer = unsafe ByteWriter(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count))
            body(&writer)
            precondition(writer.count == count, "a text of another size than was worked out")
            return count
        }
    }

    /// The text of bytes in UTF-8.
    package static func text(copying bytes: Span<UInt8>) -> String {
        text(count: bytes.count) { $0.put(bytes) }
    }

    /// Makes a text of `prefix` and the base64 form of `count` bytes, which `body` writes.
    ///
    /// The bytes are written behind the space of the text, in the same memory.
    ///
    /// - Parameters:
    ///   - prefix: the start of the text.
    ///   - leading: number of scratch bytes that `body` writes first; they are not encoded.
    ///   - count: number of encoded bytes.
    ///   - body: writes both, one behind the other.
    /// - Complexity: one allocation; O(*n*).
    /// - Precondition: `body` writes exactly `leading + count` bytes.
    package static func base64(
        prefix: StaticString,
        leading: Int = 0,
        count: Int,
        _ body: (inout ByteWriter) -> Void
    ) -> String {
        let start = prefix.utf8CodeUnitCount
        let characters = start + Base64.length(of: count)
        let size = characters + leading + count
        return unsafe String(unsafeUninitializedCapacity: size) { buffer in
            let memory = UnsafeMutableRawBufferPointer(buffer)
            // In bounds: the buffer holds the prefix, the digits and all bytes, in this order.
            var writer = unsafe ByteWriter(UnsafeMutableRawBufferPointer(rebasing: memory[characters..<size]))
            body(&writer)
            precondition(writer.count == leading + count, "a message of another size than was worked out")
            prefix.withUTF8Buffer { unsafe memory.copyMemory(from: UnsafeRawBufferPointer($0)) }
            unsafe Base64.encode(
                UnsafeRawBufferPointer(rebasing: memory[(characters + leading)..<size]),
                into: UnsafeMutableRawBufferPointer(rebasing: memory[start..<characters])
            )
            return characters
        }
    }

    // Three functions instead of a generic one, because a generic function is called unspecialised across modules.

    /// Writes the bytes of `value`, least significant first.
    @inlinable @inline(__always)
    package mutating func put(littleEndian value: UInt16) {
        let offset = advance(by: 2)
        // In bounds: `advance` checked it.
        unsafe memory.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt16.self)
    }

    /// Writes the bytes of `value`, least significant first.
    @inlinable @inline(__always)
    package mutating func put(littleEndian value: UInt32) {
        let offset = advance(by: 4)
        // In bounds: `advance` checked it.
        unsafe memory.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
    }

    /// Writes the bytes of `value`, least significant first.
    @inlinable @inline(__always)
    package mutating func put(littleEndian value: UInt64) {
        let offset = advance(by: 8)
        // In bounds: `advance` checked it.
        unsafe memory.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// Writes one byte.
    @inlinable @inline(__always)
    package mutating func put(byte value: UInt8) {
        let offset = advance(by: 1)
        // In bounds: `advance` checked it.
        unsafe memory.storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
    }

    /// Writes a copy of `bytes`.
    @inlinable @inline(__always)
    package mutating func put(_ bytes: Span<UInt8>) {
        let offset = advance(by: bytes.count)
        overwrite(at: offset, with: bytes)
    }

    /// Writes a text of the program.
    package mutating func put(_ text: StaticString) {
        text.withUTF8Buffer { bytes in
            // In bounds: the bytes are those of the buffer, and live as long as the program.
            put(unsafe Span(_unsafeElements: bytes))
        }
    }

    /// Writes `size` zeros.
    package mutating func putZeros(_ size: Int) {
        let offset = advance(by: size)
        // In bounds: `advance` checked it.
        _ = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[offset..<(offset + size)])
            .initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Writes `text` in UTF-16LE.
    ///
    /// - Precondition: `units == text.utf16.count`.
    package mutating func put(utf16 text: String, units: Int) {
        let start = advance(by: 2 * units)
        // The text is ASCII if it has as many UTF-8 bytes as UTF-16 units.
        let isASCII =
            unsafe text.utf8.withContiguousStorageIfAvailable { characters in
                guard characters.count == units else { return false }
                for index in 0..<units {
                    let unit = unsafe UInt16(characters[index])
                    // In bounds: `advance` checked the whole text.
                    unsafe memory.storeBytes(of: unit.littleEndian, toByteOffset: start + 2 * index, as: UInt16.self)
                }
                return true
            } ?? false
        if !isASCII { overwrite(at: start, withUTF16: text) }
    }

    @inline(never)
    private mutating func overwrite(at start: Int, withUTF16 text: String) {
        var offset = start
        for unit in text.utf16 {
            precondition(offset < count)
            // In bounds: checked above. `offset - start` and the size are even, so two bytes fit.
            unsafe memory.storeBytes(of: unit.littleEndian, toByteOffset: offset, as: UInt16.self)
            offset += 2
        }
        precondition(offset == count)
    }

    /// Overwrites written bytes at `offset` with `bytes`.
    ///
    /// - Precondition: the overwritten bytes were written before.
    @inlinable @inline(__always)
    package mutating func overwrite(at offset: Int, with bytes: Span<UInt8>) {
        precondition(offset >= 0 && bytes.count <= count - offset)
        guard bytes.count > 0 else { return }
        // In bounds: checked above.
        unsafe bytes.withUnsafeBytes { source in
            unsafe UnsafeMutableRawBufferPointer(rebasing: memory[offset..<(offset + source.count)])
                .copyMemory(from: source)
        }
    }

    /// Overwrites eight written bytes at `offset` with `value`, least significant first.
    ///
    /// - Precondition: the overwritten bytes were written before.
    @inlinable @inline(__always)
    package mutating func overwrite(at offset: Int, littleEndian value: UInt64) {
        precondition(offset >= 0 && count - offset >= 8)
        // In bounds: checked above.
        unsafe memory.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// Overwrites `size` written bytes at `offset` with what `body` writes.
    ///
    /// - Precondition: the overwritten bytes were written before, and `body` writes exactly `size` bytes.
    package mutating func overwrite(at offset: Int, count size: Int, _ body: (inout ByteWriter) -> Void) {
        precondition(offset >= 0 && size >= 0 && size <= count - offset)
        // In bounds: checked above.
        var writer = unsafe ByteWriter(UnsafeMutableRawBufferPointer(rebasing: memory[offset..<(offset + size)]))
        body(&writer)
        precondition(writer.count == size, "bytes of another size than was worked out")
    }

    /// Calls `body` with the written bytes in `range`.
    @inlinable @inline(__always)
    package borrowing func withBytes<Result>(_ range: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        // In bounds: checked above. Integers and bytes have no invalid bit patterns.
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: memory[range]).bindMemory(to: UInt8.self)
        let span = unsafe Span<UInt8>(_unsafeElements: bytes)
        return body(span)
    }

    @inlinable @inline(__always)
    mutating func advance(by size: Int) -> Int {
        let offset = count
        let room = unsafe memory.count - offset
        precondition(size >= 0 && size <= room, "a message of another size than was worked out")
        count = offset + size
        return offset
    }
}
