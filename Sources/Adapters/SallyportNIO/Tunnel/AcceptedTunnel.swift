public import NIOCore
internal import NIOHTTP1

/// A client that has asked for a tunnel with CONNECT: its channel carries HTTP until then, and bytes afterwards.
public enum AcceptedTunnel {
    /// Lets a channel hold what comes, until it is the other end of a tunnel. Call it on its event loop, before its first byte, such as in
    /// `configure` of ``ProxyTunnelHandler``.
    public static func hold(_ channel: any Channel) throws { _ = try TunnelEnd.on(channel) }

    /// Answers CONNECT with 200, and carries bytes both ways until both sides have ended, or one of them fails. Then both channels are closed.
    ///
    /// Call it after the end of the request. NIO's handlers of HTTP leave the channel of the client, and so does `handler`, because what comes
    /// now is bytes. The decoder has to forward the bytes that it has left (`leftOverBytesStrategy: .forwardBytes`), because a client
    /// need not wait for the 200.
    ///
    /// - Parameters:
    ///   - client: the channel of the client.
    ///   - handler: the type of your handler of requests on it.
    ///   - server: the channel of the other end, after ``hold(_:)``.
    public static func carry(
        _ client: any Channel,
        from handler: (some RemovableChannelHandler & SendableMetatype).Type,
        over server: any Channel
    ) async throws {
        try await withTaskCancellationHandler {
            do {
                try await client.eventLoop.flatSubmit { answer(client, from: handler) }.get()
                try await client.eventLoop.submit { try TunnelEnd.on(client).join(server) }.get()
                try await server.eventLoop.submit { try TunnelEnd.on(server).join(client) }.get()
            } catch {
                client.close(promise: nil)
                server.close(promise: nil)
                throw error
            }
            try await client.closeFuture.get()
            try await server.closeFuture.get()
        } onCancel: {
            client.close(promise: nil)
            server.close(promise: nil)
        }
    }

    /// Answers, and takes off what knows HTTP. On the event loop of the client.
    private static func answer(
        _ client: any Channel,
        from handler: (some RemovableChannelHandler).Type
    ) -> EventLoopFuture<Void> {
        let decoderHasLeft = client.eventLoop.makePromise(of: Void.self)
        do {
            try answer(client, from: handler, decoderHasLeft)
        } catch {
            decoderHasLeft.fail(error)
        }
        return decoderHasLeft.futureResult
    }

    private static func answer(
        _ client: any Channel,
        from handler: (some RemovableChannelHandler).Type,
        _ decoderHasLeft: EventLoopPromise<Void>
    ) throws {
        let pipeline = client.pipeline.syncOperations
        let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
        // Not by the encoder, which would announce a body.
        let encoder = try pipeline.context(handlerType: HTTPResponseEncoder.self)
        encoder.writeAndFlush(NIOAny(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n")), promise: nil)
        (try? pipeline.handler(type: AuthenticationServerHandler.self))?.passAll()
        remove(handler, from: pipeline)
        remove(HTTPServerPipelineHandler.self, from: pipeline)
        remove(HTTPServerProtocolErrorHandler.self, from: pipeline)
        remove(NIOHTTPResponseHeadersValidator.self, from: pipeline)
        pipeline.removeHandler(context: encoder, promise: nil)
        _ = try TunnelEnd.on(client)
        // Last, because it passes on what it has left.
        pipeline.removeHandler(context: decoder, promise: decoderHasLeft)
    }

    private static func remove(
        _ handler: (some RemovableChannelHandler).Type,
        from pipeline: ChannelPipeline.SynchronousOperations
    ) {
        guard let context = try? pipeline.context(handlerType: handler) else { return }
        pipeline.removeHandler(context: context, promise: nil)
    }
}
