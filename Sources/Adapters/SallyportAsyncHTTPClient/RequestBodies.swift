internal import AsyncHTTPClient
internal import NIOCore
internal import SallyportClient

/// The bodies of AsyncHTTPClient, which does not say whether one can be sent again.
enum RequestBodies {
    /// The body of a request: kept if it is short, otherwise what was read of it before the rest.
    static func body(of request: HTTPClientRequest) async throws -> ClientRequest.Body {
        guard let body = request.body else { return .none }
        var iterator = body.makeAsyncIterator()
        var read: [ByteBuffer] = []
        var count = 0
        while let part = try await iterator.next() {
            read.append(part)
            count += part.readableBytes
            guard count <= HTTPClientAuthenticator.keptBodyBytes else {
                return .once(length: nil, StartedBody(read, iterator))
            }
        }
        var whole = ByteBuffer()
        for var part in read { whole.writeBuffer(&part) }
        return .bytes(whole)
    }

    /// The same body for AsyncHTTPClient.
    static func body(of request: ClientRequest) -> HTTPClientRequest.Body? {
        switch request.body {
        case .none: nil
        case .bytes(let buffer): .bytes(buffer)
        case .repeatable(let length, let make): stream(make(), length)
        case .once(let length, let parts): stream(parts, length)
        }
    }

    private static func stream(
        _ parts: some AsyncSequence<ByteBuffer, any Error> & Sendable,
        _ length: Int64?
    ) -> HTTPClientRequest.Body {
        .stream(parts, length: length.map { .known($0) } ?? .unknown)
    }
}

/// A body of which some parts were read already. It can be read once.
struct StartedBody: AsyncSequence, Sendable {
    private let read: [ByteBuffer]
    private let rest: Remainder

    init(_ read: [ByteBuffer], _ rest: HTTPClientRequest.Body.AsyncIterator) {
        self.read = read
        self.rest = Remainder(rest)
    }

    func makeAsyncIterator() -> Iterator { Iterator(read: read[...], rest: rest) }

    struct Iterator: AsyncIteratorProtocol {
        var read: ArraySlice<ByteBuffer>
        let rest: Remainder

        mutating func next() async throws -> ByteBuffer? {
            if let part = read.popFirst() { return part }
            return try await rest.next()
        }
    }

    /// `@unchecked Sendable` is safe, because a body that can be sent once has one reader at a time.
    final class Remainder: @unchecked Sendable {
        private var iterator: HTTPClientRequest.Body.AsyncIterator

        init(_ iterator: HTTPClientRequest.Body.AsyncIterator) { self.iterator = iterator }

        func next() async throws -> ByteBuffer? { try await iterator.next() }
    }
}
