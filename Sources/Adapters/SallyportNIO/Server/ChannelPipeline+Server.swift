public import NIOCore
internal import NIOHTTP1

extension ChannelPipeline.SynchronousOperations {
    /// Adds `handler` directly behind NIO's HTTP/1.1 server codec, and so before its upgrade handlers: no client upgrades without
    /// being authenticated. Without NIO's codec the handler is added at the end of the pipeline.
    ///
    /// - Parameter handler: the handler of this channel.
    public func addServerAuthentication(_ handler: AuthenticationServerHandler) throws {
        try addHandler(handler, position: lastOfCodec.map { .after($0) } ?? .last)
    }

    /// The last handler of NIO's server codec. The type of an upgrade handler is not known here, because NIO's typed one is generic.
    private var lastOfCodec: (any ChannelHandler)? {
        if let last = try? handler(type: HTTPServerProtocolErrorHandler.self) { return last }
        if let last = try? handler(type: NIOHTTPResponseHeadersValidator.self) { return last }
        if let last = try? handler(type: HTTPServerPipelineHandler.self) { return last }
        return try? handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
    }
}
