internal import NIOCore

/// What a channel needs from the moment that it is one end of a tunnel.
enum TunnelOptions {
    /// The sizes of reads: the most bytes are 1 MiB; with twice as many a byte costs about half.
    ///
    /// Each read has memory of its own, so that a tunnel that becomes idle after many bytes keeps none of it.
    static let reads = ReadSizes(1024...1 << 20, first: 16_384, keepsMemory: false)
    /// Reading stops while any byte waits to be written to the other end: an end that reads nothing so takes the memory of one read.
    static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 1)

    static func apply(to channel: (any Channel)?) {
        guard let options = channel?.syncOptions else { return }
        // A channel that is closed meanwhile needs no options.
        try? options.setOption(.recvAllocator, value: reads)
        try? options.setOption(.writeBufferWaterMark, value: waterMark)
    }
}
