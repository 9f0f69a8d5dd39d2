internal import NIOCore

/// The memory of heads that were sent, for those that follow: new memory would cost two allocations a head.
///
/// One event loop owns it.
final class HeadMemory {
    /// The most that is kept: as many requests as a busy loop has under way, with heads of the usual size.
    private static let most = 64, mostBytes = 4096

    private let allocator = ByteBufferAllocator()
    // Unchecked, because nothing else runs while a function here does.
    @exclusivity(unchecked) private var spare: [ByteBuffer] = []

    /// Empty memory for a head of so many bytes.
    func take(capacity: Int) -> ByteBuffer {
        guard var head = unsafe spare.popLast() else { return allocator.buffer(capacity: capacity) }
        // What a channel has not written yet stays as it is: the head gets other memory then.
        head.clear(minimumCapacity: capacity)
        return head
    }

    /// Keeps the memory of a head that was sent.
    func giveBack(_ head: ByteBuffer) {
        guard unsafe spare.count < Self.most, head.storageCapacity <= Self.mostBytes else { return }
        unsafe spare.append(head)
    }
}
