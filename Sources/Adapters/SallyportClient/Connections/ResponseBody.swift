internal import Hostnames
public import NIOCore

/// The body of a response, as it arrives. It can be read once.
public struct ResponseBody: AsyncSequence, Sendable {
    typealias Producer = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, BodyDelegate
    >

    enum Content: Sendable {
        case arriving(Producer, from: Origin)
        case complete(ByteBuffer)
        case begun(BegunBody<Producer.AsyncIterator>, from: Origin)
    }

    private let content: Content

    init(_ content: Content) { self.content = content }

    /// Starts to read.
    public func makeAsyncIterator() -> Iterator {
        switch content {
        case .arriving(let producer, let origin):
            Iterator(source: producer.makeAsyncIterator(), origin: origin, rest: nil)
        case .complete(let bytes): Iterator(source: nil, origin: nil, rest: bytes.readableBytes > 0 ? bytes : nil)
        case .begun(let begun, let origin):
            Iterator(source: begun.takeRest(), origin: origin, rest: begun.bytes)
        }
    }

    /// The parts of the body.
    public struct Iterator: AsyncIteratorProtocol {
        let source: Producer.AsyncIterator?
        /// Who sends what is not there yet.
        let origin: Origin?
        var rest: ByteBuffer?

        /// The next part; `nil` at the end.
        public mutating func next() async throws -> ByteBuffer? {
            if let rest = rest.take() { return rest }
            do {
                return try await source?.next()
            } catch {
                throw origin.map { ClientError.lost($0, error) } ?? error
            }
        }
    }

    /// The whole body.
    ///
    /// - Throws: ``ClientError/bodyTooLong(limit:)`` beyond `limit` bytes, or why the connection broke.
    public func collect(upTo limit: Int) async throws -> ByteBuffer {
        var whole = ByteBuffer()
        for try await var part in self {
            guard whole.readableBytes + part.readableBytes <= limit else { throw ClientError.bodyTooLong(limit: limit) }
            whole.writeBuffer(&part)
        }
        return whole
    }
}

/// Tells the connection when a reader wants more of a body or has left.
final class BodyDelegate: NIOAsyncSequenceProducerDelegate {
    private let eventLoop: any EventLoop
    private let connection: NIOLoopBound<ConnectionHandler>
    private let exchange: Int

    init(_ connection: ConnectionHandler, exchange: Int, on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.connection = NIOLoopBound(connection, eventLoop: eventLoop)
        self.exchange = exchange
    }

    func produceMore() { eventLoop.execute { [connection] in connection.value.resumeReading() } }

    func didTerminate() {
        eventLoop.execute { [connection, exchange] in connection.value.readerLeft(exchange) }
    }
}
