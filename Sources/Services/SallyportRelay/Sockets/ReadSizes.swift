internal import NIOCore

/// The sizes of a channel's reads: twice as large after a read that was full, half as large after two in turn that were half empty.
///
/// It takes 16 bytes, because a channel holds an allocator of up to 24 bytes in itself, and a larger one in memory of its own.
struct ReadSizes: RecvByteBufferAllocator {
    private let smallest: Int32
    private let largest: Int32
    private var next: Int32
    private var mayShrink = false
    private let keepsMemory: Bool

    /// - Parameters:
    ///   - sizes: the smallest and the largest one, in bytes; powers of two.
    ///   - first: a power of two between them.
    ///   - keepsMemory: whether the channel reads into the memory of the last read again, once nothing else holds it. It then keeps that
    ///     memory as long as it lives, as large as the largest read.
    init(_ sizes: ClosedRange<Int32>, first: Int32, keepsMemory: Bool) {
        (smallest, largest) = (sizes.lowerBound, sizes.upperBound)
        next = first
        self.keepsMemory = keepsMemory
    }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { allocator.buffer(capacity: Int(next)) }

    /// No size makes the channel ask for new memory.
    func nextBufferSize() -> Int? { keepsMemory ? Int(next) : nil }

    /// - Returns: true, which makes the channel ask for new memory where it has no size.
    mutating func record(actualReadBytes count: Int) -> Bool {
        if count <= next / 2, next > smallest {
            if mayShrink { next /= 2 }
            mayShrink.toggle()
        } else {
            mayShrink = false
            if count >= next, next < largest { next *= 2 }
        }
        return true
    }
}
