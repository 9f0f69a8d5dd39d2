internal import NIOCore

/// What each connection of a relay needs from its beginning.
enum ConnectionOptions {
    /// The sizes of reads. The channel keeps the memory of the first one, also in a tunnel, so that it is small: most heads of CONNECT
    /// take less than 300 bytes.
    private static let reads = ReadSizes(512...1 << 16, first: 512, keepsMemory: true)
    /// The same for a response to CONNECT: what its page takes, if it is a refusal, would remain in the tunnel that the next one opens.
    private static let readsBeforeTunnel = ReadSizes(512...1 << 16, first: 512, keepsMemory: false)

    /// Sets the options at once, in a channel's initializer: those of a bootstrap take a future each.
    static func apply(to channel: any Channel) throws {
        guard let options = channel.syncOptions else { throw ChannelError.inappropriateOperationForState }
        try options.setOption(.tcpOption(.tcp_nodelay), value: 1)
        try options.setOption(.allowRemoteHalfClosure, value: true)
        try options.setOption(.maxMessagesPerRead, value: 1)
        try options.setOption(.recvAllocator, value: reads)
    }

    /// Sets how the responses of a request are read.
    static func applyReads(isBeforeTunnel: Bool, to channel: (any Channel)?) {
        // A channel that is closed meanwhile needs no options.
        try? channel?.syncOptions?.setOption(.recvAllocator, value: isBeforeTunnel ? readsBeforeTunnel : reads)
    }
}
