internal import AsyncHTTPClient
internal import NIOCore
internal import SallyportClient

extension HTTPClientResponse {
    /// The same response, and the begin of its body.
    func lookingForProblem() async throws -> (HTTPClientResponse, BodyBegin) {
        var response = self
        var parts = body.makeAsyncIterator()
        let begin = try await BodyBegin(reading: &parts)
        response.body =
            begin.isWhole ? .bytes(begin.bytes) : .stream(BegunParts(begun: BegunBody(begin.bytes, then: parts)))
        return (response, begin)
    }
}

/// The parts of a body whose begin was read.
struct BegunParts: AsyncSequence, Sendable {
    let begun: BegunBody<HTTPClientResponse.Body.AsyncIterator>

    func makeAsyncIterator() -> Iterator { Iterator(begin: begun.bytes, rest: begun.takeRest()) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var begin: ByteBuffer?
        fileprivate var rest: HTTPClientResponse.Body.AsyncIterator?

        mutating func next() async throws -> ByteBuffer? {
            if let begin = begin.take() { return begin }
            return try await rest?.next()
        }
    }
}
