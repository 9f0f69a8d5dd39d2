internal import NIOCore
internal import NIOHTTP1
internal import Sallyport
internal import Synchronization

/// One connection for requests one after the other.
final class Connection: Sendable {
    /// A number that no other connection of the process has.
    let number = ConnectionNumber.next()
    let key: PoolKey
    let channel: any Channel
    /// The TLS of the connection to the origin, for channel bindings.
    let security: ConnectionTraits.Security
    private let handler: NIOLoopBound<ConnectionHandler>

    init(_ channel: any Channel, _ handler: ConnectionHandler, key: PoolKey, security: ConnectionTraits.Security) {
        self.channel = channel
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        self.key = key
        self.security = security
    }

    /// What the handler of challenges may know of the connection.
    var traits: ConnectionTraits { ConnectionTraits(id: number, canPin: true, security: security) }

    var isActive: Bool { channel.isActive }

    // Nanoseconds of the monotonic clock.
    private let idleSince = Atomic<UInt64>(0)

    func becomesIdle() { idleSince.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }

    /// Whether nothing has used the connection for `time`.
    func wasIdle(for time: TimeAmount) -> Bool {
        let since = NIODeadline.uptimeNanoseconds(idleSince.load(ordering: .relaxed))
        return NIODeadline.now() - since >= time
    }

    func close() { channel.close(promise: nil) }

    /// A response, and whether the body of its request went out.
    struct Received: Sendable {
        let response: ConnectionHandler.Response
        let bodyWasSent: Bool
    }

    /// Sends a request and returns the head of its response.
    ///
    /// - Parameter continueLimit: how long to wait for the word to send the body; `nil` to send it at once.
    func exchange(
        _ head: HTTPRequestHead,
        _ body: ClientRequest.Body,
        continueLimit: TimeAmount?
    ) async throws -> Received {
        try await withTaskCancellationHandler {
            switch body {
            case .none: try await sendAtOnce(head, nil)
            case .bytes(let buffer) where continueLimit == nil: try await sendAtOnce(head, buffer)
            case .bytes(let buffer):
                try await send(head, length: Int64(buffer.readableBytes), OnePart(buffer), continueLimit)
            case .repeatable(let length, let make): try await send(head, length: length, make(), continueLimit)
            case .once(let length, let parts): try await send(head, length: length, parts, continueLimit)
            }
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// Ends the connection at `deadline` with an error, unless the timer is cancelled.
    func fail(at deadline: NIODeadline, _ error: any Error) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(deadline: deadline) { [handler, channel] in
            handler.value.fail(error)
            channel.close(promise: nil)
        }
    }

    // MARK: Sending

    private func sendAtOnce(_ head: HTTPRequestHead, _ buffer: ByteBuffer?) async throws -> Received {
        let response = try await channel.eventLoop.flatSubmit { [channel, handler] in
            let promise = channel.eventLoop.makePromise(of: ConnectionHandler.Response.self)
            handler.value.begin(head.method, promise, goOn: nil)
            channel.write(HTTPClientRequestPart.head(head), promise: nil)
            if let buffer { channel.write(HTTPClientRequestPart.body(.byteBuffer(buffer)), promise: nil) }
            handler.value.sentWhole()
            channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
            return promise.futureResult
        }.get()
        return Received(response: response, bodyWasSent: buffer != nil)
    }

    private func send(
        _ head: HTTPRequestHead,
        length: Int64?,
        _ parts: ClientRequest.Parts,
        _ continueLimit: TimeAmount?
    ) async throws -> Received {
        let eventLoop = channel.eventLoop
        let response = eventLoop.makePromise(of: ConnectionHandler.Response.self)
        let goOn = eventLoop.makePromise(of: Bool.self)
        try await eventLoop.submit { [channel, handler] in
            handler.value.begin(head.method, response, goOn: goOn)
            channel.writeAndFlush(HTTPClientRequestPart.head(head), promise: nil)
            // Without an interim response the body goes out after a while (RFC 9110 section 10.1.1).
            guard let continueLimit else { return goOn.succeed(true) }
            let timer = eventLoop.scheduleTask(in: continueLimit) { goOn.succeed(true) }
            goOn.futureResult.whenComplete { _ in timer.cancel() }
        }.get()
        let mayGoOn: Bool
        do {
            mayGoOn = try await goOn.futureResult.get()
        } catch {
            throw LostBeforeBody(cause: error)
        }
        guard mayGoOn else {
            return Received(response: try await response.futureResult.get(), bodyWasSent: false)
        }
        // A response may come before the body has ended. Then the rest is not sent, and the connection is not used again.
        return try await withThrowingTaskGroup(of: Received?.self) { group in
            group.addTask { Received(response: try await response.futureResult.get(), bodyWasSent: true) }
            group.addTask { [self] in
                try await sendParts(parts, length: length)
                return nil
            }
            defer { group.cancelAll() }
            while let received = try await group.next() { if let received { return received } }
            throw ClientError.connectionLost(key.origin)
        }
    }

    private func sendParts(_ parts: ClientRequest.Parts, length: Int64?) async throws {
        var sent: Int64 = 0
        do {
            for try await part in parts {
                sent += Int64(part.readableBytes)
                if let length, sent > length { throw ClientError.wrongBodyLength(announced: length) }
                try await channel.writeAndFlush(HTTPClientRequestPart.body(.byteBuffer(part)))
            }
            if let length, sent < length { throw ClientError.wrongBodyLength(announced: length) }
        } catch {
            // The request is incomplete, so nothing else may follow on this connection.
            if !Task.isCancelled { channel.close(promise: nil) }
            throw error
        }
        try await channel.eventLoop.submit { [handler] in handler.value.sentWhole() }.get()
        try await channel.writeAndFlush(HTTPClientRequestPart.end(nil))
    }
}

/// The connection was lost while the body waited for `100 Continue`, so that none of it is gone.
struct LostBeforeBody: Error {
    let cause: any Error
}

/// A body in one part.
private struct OnePart: AsyncSequence, Sendable {
    let buffer: ByteBuffer

    init(_ buffer: ByteBuffer) { self.buffer = buffer }

    func makeAsyncIterator() -> Iterator { Iterator(buffer: buffer) }

    struct Iterator: AsyncIteratorProtocol {
        var buffer: ByteBuffer?

        mutating func next() async throws -> ByteBuffer? { buffer.take() }
    }
}
