internal import HTTPTypes
public import NIOCore
internal import NIOHTTP1

/// A client that has asked for a tunnel with CONNECT: its channel carries HTTP until then, and bytes afterwards.
public enum AcceptedTunnel {
    /// The channel of the other end, which holds what comes until it is joined.
    public struct Held: Sendable {
        /// The channel. Close it if no client is joined to it.
        public let channel: any Channel
        let end: NIOLoopBound<TunnelEnd>
    }

    /// Lets a channel hold what comes, until it is the other end of a tunnel. Call it on its event loop, before its first byte, such as in
    /// `configure` of ``ProxyTunnelHandler`` or in the initializer of a channel.
    public static func hold(_ channel: any Channel) throws -> Held {
        let end = try TunnelEnd(on: channel)
        return Held(channel: channel, end: NIOLoopBound(end, eventLoop: channel.eventLoop))
    }

    /// Answers CONNECT with 200, and carries bytes both ways until both sides have ended, or one of them fails. Then both channels are closed,
    /// as they are when the task is cancelled.
    ///
    /// Call it after the end of the request. NIO's handlers of HTTP leave the channel of the client, and so does `handler`, because what comes
    /// now is bytes. The decoder has to forward the bytes that it has left (`leftOverBytesStrategy: .forwardBytes`), because a client
    /// need not wait for the 200. It has to leave its output open until then. `HTTPServerPipelineHandler` has to be among the handlers, because it
    /// keeps a client from sending without limit meanwhile.
    ///
    /// - Parameters:
    ///   - client: the channel of the client.
    ///   - handler: the type of your handler of requests on it.
    ///   - server: the other end.
    /// - Throws: an error of the channel or its pipeline if the channel of the client has no handlers of HTTP, or is closed. Nothing was
    ///   answered then, and the other end is closed.
    public static func carry(
        _ client: any Channel,
        from handler: (some RemovableChannelHandler & SendableMetatype).Type,
        over server: Held
    ) async throws {
        try await withTaskCancellationHandler {
            let end: Held
            do {
                end = try await client.eventLoop.flatSubmit { answer(client, from: handler) }.get()
            } catch {
                server.channel.close(promise: nil)
                throw error
            }
            // Behind the answer, which was written first.
            server.channel.eventLoop.execute { server.end.value.join(client) }
            client.eventLoop.execute { end.end.value.join(server.channel) }
            try await client.closeFuture.get()
            try await server.channel.closeFuture.get()
        } onCancel: {
            TunnelEnd.close(client)
            TunnelEnd.close(server.channel)
        }
    }

    /// Answers, and takes off what knows HTTP. It fails before it has answered, or not at all. On the event loop of the client.
    private static func answer(
        _ client: any Channel,
        from handler: (some RemovableChannelHandler).Type
    ) -> EventLoopFuture<Held> {
        let pipeline = client.pipeline.syncOperations
        do {
            let encoder = try pipeline.context(handlerType: HTTPResponseEncoder.self)
            let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let end = try hold(client)
            let server = try? pipeline.handler(type: AuthenticationServerHandler.self)
            // Not by the encoder, which would announce a body.
            encoder.writeAndFlush(NIOAny(head(proof: server?.proof ?? [:])), promise: nil)
            server?.passAll()
            remove(handler, from: pipeline)
            remove(HTTPServerPipelineHandler.self, from: pipeline)
            remove(HTTPServerProtocolErrorHandler.self, from: pipeline)
            remove(NIOHTTPResponseHeadersValidator.self, from: pipeline)
            remove(NIOHTTPServerRequestAggregator.self, from: pipeline)
            remove(HTTPServerUpgradeHandler.self, from: pipeline)
            pipeline.removeHandler(context: encoder, promise: nil)
            // Last, because it passes on what it has left.
            let decoderHasLeft = client.eventLoop.makePromise(of: Void.self)
            pipeline.removeHandler(context: decoder, promise: decoderHasLeft)
            return decoderHasLeft.futureResult.map { end }.recover { _ in
                client.close(promise: nil)
                return end
            }
        } catch {
            return client.eventLoop.makeFailedFuture(error)
        }
    }

    /// The head of the response, with what proves this proxy to its client.
    private static func head(proof: HTTPFields) -> ByteBuffer {
        var head = ByteBuffer(string: "HTTP/1.1 200 OK\r\n")
        for field in proof { head.writeString("\(field.name): \(field.value)\r\n") }
        head.writeString("\r\n")
        return head
    }

    private static func remove(
        _ handler: (some RemovableChannelHandler).Type,
        from pipeline: ChannelPipeline.SynchronousOperations
    ) {
        guard let context = try? pipeline.context(handlerType: handler) else { return }
        pipeline.removeHandler(context: context, promise: nil)
    }
}
