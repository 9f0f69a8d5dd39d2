internal import NIOCore

/// What each connection of a relay needs from its beginning.
enum ConnectionOptions {
    /// The sizes of reads. The channel keeps the memory of the first one, so that it is small.
    private static let reads = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1024, maximum: 1 << 16)

    /// Sets the options at once, in a channel's initializer: those of a bootstrap take a future each.
    static func apply(to channel: any Channel) throws {
        guard let options = channel.syncOptions else { throw ChannelError.inappropriateOperationForState }
        try options.setOption(.socketOption(.tcp_nodelay), value: 1)
        try options.setOption(.allowRemoteHalfClosure, value: true)
        try options.setOption(.maxMessagesPerRead, value: 1)
        try options.setOption(.recvAllocator, value: reads)
    }
}
