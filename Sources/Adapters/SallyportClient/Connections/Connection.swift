internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import Sallyport
internal import SallyportNIO
internal import Synchronization

/// One connection for requests one after the other.
final class Connection: Sendable {
    /// A number that no other connection of the process has.
    let number = ConnectionNumber.next()
    let key: PoolKey
    let channel: any Channel
    /// The TLS of the connection to the origin, for channel bindings.
    let security: ConnectionTraits.Security
    /// What was presented to the party at the other end of TLS; `nil` if it did not ask.
    let identity: IdentityDecision?
    private let handler: NIOLoopBound<ConnectionHandler>
    /// Whether a proxy that reads the requests is asked to keep the connection.
    let persistence = Mutex(ProxyPersistence())

    init(
        _ channel: any Channel,
        _ handler: ConnectionHandler,
        key: PoolKey,
        security: ConnectionTraits.Security,
        identity: IdentityDecision?
    ) {
        self.identity = identity
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

    // Set once, before another request can use the connection.
    private let generationNumber = Atomic<UInt64>(0)
    /// Which time of the pool it belongs to.
    var generation: UInt64 {
        get { generationNumber.load(ordering: .relaxed) }
        set { generationNumber.store(newValue, ordering: .relaxed) }
    }

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
    /// - Parameters:
    ///   - head: the head.
    ///   - fields: the fields of the head whose values are not UTF-8.
    ///   - body: the body.
    ///   - continueLimit: how long to wait for the word to send the body; `nil` to send it at once.
    func exchange(
        _ head: HTTPRequestHead,
        _ fields: [HTTPField],
        _ body: ClientRequest.Body,
        continueLimit: TimeAmount?
    ) async throws -> Received {
        try await withTaskCancellationHandler {
            switch body {
            case .none: try await sendAtOnce(head, fields, nil)
            case .bytes(let buffer) where continueLimit == nil: try await sendAtOnce(head, fields, buffer)
            case .bytes(let buffer):
                try await send(head, fields, length: Int64(buffer.readableBytes), OnePart(buffer), continueLimit)
            case .repeatable(let length, let make): try await send(head, fields, length: length, make(), continueLimit)
            case .once(let length, let parts): try await send(head, fields, length: length, parts, continueLimit)
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

    private func sendAtOnce(
        _ head: HTTPRequestHead,
        _ fields: [HTTPField],
        _ buffer: ByteBuffer?
    ) async throws -> Received {
        let response = try await channel.eventLoop.flatSubmit { [channel, handler] in
            let promise = channel.eventLoop.makePromise(of: ConnectionHandler.Response.self)
            guard handler.value.begin(head.method, fields, promise, goOn: nil) else { return promise.futureResult }
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
        _ fields: [HTTPField],
        length: Int64?,
        _ parts: ClientRequest.Parts,
        _ continueLimit: TimeAmount?
    ) async throws -> Received {
        let eventLoop = channel.eventLoop
        let response = eventLoop.makePromise(of: ConnectionHandler.Response.self)
        let goOn = eventLoop.makePromise(of: Bool.self)
        try await eventLoop.submit { [channel, handler] in
            guard handler.value.begin(head.method, fields, response, goOn: goOn) else { return }
            channel.writeAndFlush(HTTPClientRequestPart.head(head), promise: nil)
            // Without an interim response the body goes out after a while (RFC 9110 section 10.1.1).
            guard let continueLimit else { return goOn.succeed(true) }
            let timer = eventLoop.scheduleTask(in: continueLimit) { goOn.succeed(true) }
            goOn.futureResult.whenComplete { _ in timer.cancel() }
        }.get()
        let mayGoOn: Bool
        do {
            mayGoOn = try await goOn.futureResult.get()
        } catch let error as NotSent {
            throw error
        } catch {
            throw LostBeforeBody(cause: error)
        }
        guard mayGoOn else {
            return Received(response: try await response.futureResult.get(), bodyWasSent: false)
        }
        // A response may come before the body has ended. Then the rest is not sent, and the connection is not used again.
        async let sending = sendParts(parts, length: length)
        do {
            // Sending stops when this scope ends.
            return Received(response: try await response.futureResult.get(), bodyWasSent: true)
        } catch {
            throw await sending ?? error
        }
    }

    /// Sends the body and the end of the request. Returns why the body could not be sent, if the caller's parts are the reason.
    private func sendParts(_ parts: ClientRequest.Parts, length: Int64?) async -> (any Error)? {
        do {
            var sent: Int64 = 0
            for try await part in parts {
                sent += Int64(part.readableBytes)
                if let length, sent > length { throw ClientError.wrongBodyLength(announced: length) }
                // With the last byte, because the server may answer at once.
                guard await write(part, isLast: sent == length) else { return nil }
            }
            if let length, sent < length { throw ClientError.wrongBodyLength(announced: length) }
            if length == nil || length == 0 { _ = await write(nil, isLast: true) }
            return nil
        } catch {
            // The request is incomplete, so nothing else may follow on this connection.
            if !Task.isCancelled { channel.close(promise: nil) }
            return error
        }
    }

    /// Writes a part, with the end of the request if it is the last one. Returns false if the connection is lost, which fails the
    /// response as well.
    private func write(_ part: ByteBuffer?, isLast: Bool) async -> Bool {
        let written = channel.eventLoop.makePromise(of: Void.self)
        return await withTaskCancellationHandler {
            channel.eventLoop.execute { [channel, handler] in
                if isLast { handler.value.sentWhole() }
                if let part {
                    channel.write(HTTPClientRequestPart.body(.byteBuffer(part)), promise: isLast ? nil : written)
                }
                if isLast { channel.write(HTTPClientRequestPart.end(nil), promise: written) }
                channel.flush()
            }
            do {
                try await written.futureResult.get()
                return true
            } catch {
                return false
            }
        } onCancel: {
            // The server may read no more, so the write may never end.
            written.fail(CancellationError())
        }
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
