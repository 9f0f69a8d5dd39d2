public import NIOCore
public import NIOHTTP1

extension ChannelPipeline.SynchronousOperations {
    /// Adds NIO's HTTP/1.1 client codec, with informational responses forwarded and ``ResponseLimits`` around it, and `handler` behind it.
    ///
    /// - Parameters:
    ///   - handler: the handler of this channel.
    ///   - leftOverBytesStrategy: what happens to bytes behind a 101 response.
    public func addAuthenticatingHTTPClientHandlers(
        _ handler: AuthenticationClientHandler,
        leftOverBytesStrategy: RemoveAfterUpgradeStrategy = .forwardBytes
    ) throws {
        let decoder = HTTPResponseDecoder(
            leftOverBytesStrategy: leftOverBytesStrategy,
            informationalResponseStrategy: .forward
        )
        let decoding = ByteToMessageHandler(decoder)
        try addHandlers([HTTPRequestEncoder(), decoding, handler])
        try addResponseLimits(around: decoding)
    }
}
