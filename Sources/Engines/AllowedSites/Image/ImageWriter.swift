internal import WireFormat

/// A growing buffer that becomes the memory of an image without a copy.
///
/// An array would have to be copied at the end, and an image may have hundreds of megabytes.
///
/// Accesses are in bounds, because appending reserves the bytes first, and each offset is compared with the number of bytes.
@safe
struct ImageWriter: ~Copyable {
    private var storage: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    /// Reserves `capacity` bytes; the buffer can grow. Pages that are never written use no memory.
    init(capacity: Int) {
        unsafe storage = .allocate(byteCount: max(capacity, 1 << 16), alignment: ImageBytes.alignment)
    }

    deinit { unsafe storage.deallocate() }

    /// Passes the memory on to an image.
    consuming func finish() -> ImageBytes {
        assert(unsafe count <= storage.count)
        let memory = unsafe ImageBytes(adopting: storage.baseAddress.unsafelyUnwrapped, count: count)
        discard self
        return memory
    }

    /// Appends zeros.
    mutating func appendZeros(_ length: Int) {
        reserve(length)
        // In bounds: `reserve` made room for `length` bytes.
        assert(unsafe length >= 0 && count + length <= storage.count)
        unsafe UnsafeMutableRawBufferPointer(rebasing: storage[count..<count + length])
            .initializeMemory(as: UInt8.self, repeating: 0)
        count += length
    }

    /// Appends zeros up to the next multiple of `alignment`.
    mutating func align(to alignment: Int) {
        appendZeros((alignment - count % alignment) % alignment)
    }

    mutating func append<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
        reserve(MemoryLayout<Value>.size)
        assert(unsafe count + MemoryLayout<Value>.size <= storage.count)
        unsafe storage.storeBytes(of: value.littleEndian, toByteOffset: count, as: Value.self)
        count += MemoryLayout<Value>.size
    }

    mutating func append<Value: FixedWidthInteger & BitwiseCopyable>(contentsOf values: [Value]) {
        reserve(values.count * MemoryLayout<Value>.size)
        for value in values { append(value) }
    }

    /// Overwrites appended bytes at `offset`.
    mutating func store<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, at offset: Int) {
        precondition(offset >= 0 && offset + MemoryLayout<Value>.size <= count)
        unsafe storage.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
    }

    /// Overwrites the `length` bytes at `offset` with a key: the words of a name and the flags.
    mutating func store(_ name: NameWords, flags: UInt64, length: Int, at offset: Int) {
        precondition(offset >= 0 && length <= 32 && offset + length <= count)
        assert(flags & ~3 == 0)
        let words = (
            (name.low | flags).littleEndian, name.middle.littleEndian, name.high.littleEndian, name.top.littleEndian
        )
        unsafe withUnsafeBytes(of: words) { words in
            unsafe UnsafeMutableRawBufferPointer(rebasing: storage[offset..<offset + length])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: words[..<length]))
        }
    }

    /// Combines the eight bytes at `offset` with `bits` by OR.
    mutating func merge(_ bits: UInt64, at offset: Int) {
        store(load(at: offset, as: UInt64.self) | bits, at: offset)
    }

    /// Combines the `count` bits from bit `bit` on with `value` by OR.
    mutating func merge(_ value: UInt64, count: Int, at bit: Int) {
        precondition(bit >= 0 && count <= 64 && (bit + count + 7) / 8 <= self.count)
        assert(value >> UInt64(max(count, 0)) == 0, "no bit is lost")
        var (rest, bit, left) = (value, bit, count)
        while left > 0 {
            let taken = min(8 - bit % 8, left)
            let part = UInt8(truncatingIfNeeded: rest & (1 << UInt64(taken) - 1))
            unsafe storage[bit / 8] |= part << UInt8(bit % 8)
            rest >>= UInt64(taken)
            (bit, left) = (bit + taken, left - taken)
        }
    }

    func load<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Value.Type) -> Value {
        precondition(offset >= 0 && offset + MemoryLayout<Value>.size <= count)
        return Value(littleEndian: unsafe storage.loadUnaligned(fromByteOffset: offset, as: type))
    }

    /// Calls `body` with the bytes from `offset` on.
    func withBytes<Result>(from offset: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        precondition(offset >= 0 && offset <= count)
        // In bounds: `count` bytes were written.
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: storage[offset..<count])
        return unsafe body(Span(_unsafeBytes: bytes))
    }

    private mutating func reserve(_ length: Int) {
        guard unsafe count + length > storage.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(count + length, count + count / 4),
            alignment: ImageBytes.alignment
        )
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        assert(larger.count >= count + length)
        unsafe storage.deallocate()
        unsafe storage = larger
    }
}
