internal import NIOCore

/// What a channel needs from the moment that it is one end of a tunnel.
enum TunnelOptions {
    /// The most bytes of one read; with twice as many a byte costs about half.
    static let mostReadBytes = 1 << 20
    /// Reading stops while any byte waits to be written to the other end: an end that reads nothing so takes the memory of one read.
    static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 1)

    static func apply(to channel: (any Channel)?) {
        guard let options = channel?.syncOptions else { return }
        // A channel that is closed meanwhile needs no options.
        try? options.setOption(.recvAllocator, value: TunnelReads())
        try? options.setOption(.writeBufferWaterMark, value: waterMark)
    }
}

/// The memory of a tunnel's reads: new for each read, so that a tunnel that becomes idle after many bytes keeps none of it.
///
/// The sizes grow with what arrives. Otherwise a channel would use the same memory for all reads, as large as the largest.
struct TunnelReads: RecvByteBufferAllocator {
    private var sizes = AdaptiveRecvByteBufferAllocator(
        minimum: 1024,
        initial: 16_384,
        maximum: TunnelOptions.mostReadBytes
    )

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { sizes.buffer(allocator: allocator) }

    /// - Returns: true, which makes the channel ask for new memory.
    mutating func record(actualReadBytes: Int) -> Bool {
        _ = sizes.record(actualReadBytes: actualReadBytes)
        return true
    }

    /// No size, because with one the channel keeps its memory.
    func nextBufferSize() -> Int? { nil }
}
