internal import NIOCore

/// What a channel needs from the moment that it is one end of a tunnel.
enum TunnelOptions {
    /// The most bytes of one read; large reads halve the cost of a byte.
    static let mostReadBytes = 1 << 19
    /// Reading stops when more bytes wait to be written to the other end, and goes on below the lower mark.
    static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 1 << 17, high: 1 << 19)

    static func apply(to channel: (any Channel)?) {
        guard let options = channel?.syncOptions else { return }
        // Grows with what arrives, so that an idle tunnel costs little.
        let allocator = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 16_384, maximum: mostReadBytes)
        // A channel that is closed meanwhile needs no options.
        try? options.setOption(.recvAllocator, value: allocator)
        try? options.setOption(.writeBufferWaterMark, value: waterMark)
    }
}
