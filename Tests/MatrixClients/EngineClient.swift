internal import NIOCore
internal import NIOHTTP1
internal import Sallyport
internal import SallyportClient
internal import SallyportNIO

/// `AuthenticatedClient` of SallyportClient.
struct EngineClient: RunningClient {
    private let client: AuthenticatedClient

    init(_ current: CurrentHandler, _ asking: Authenticator?, _ settings: ClientSettings, _ tls: TLSConnector?) {
        client =
            asking.map { AuthenticatedClient($0, settings: settings, tls: tls) }
            ?? AuthenticatedClient(current, settings: settings, tls: tls)
    }

    func send(_ request: MatrixRequest) async throws -> MatrixReply {
        let body: ClientRequest.Body =
            switch request.body {
            case .none: .none
            case .kept: .bytes(request.bytes)
            case .once: .once(length: nil, Slices(request.bytes))
            }
        let sent = ClientRequest(
            origin: request.origin,
            method: request.method,
            target: request.target,
            headers: HTTPHeaders(request.fields.map { ($0, $1) }),
            body: body
        )
        let response = try await client.execute(sent, deadline: .now() + request.limit)
        let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
        return MatrixReply(status: Int(response.status.code), text: text)
    }

    func closeIdleConnections() { client.closeIdleConnections() }

    func shutDown() async throws { client.shutDown() }
}

/// A body in slices of 10 KB.
struct Slices: AsyncSequence, Sendable {
    private let bytes: ByteBuffer

    init(_ bytes: ByteBuffer) { self.bytes = bytes }

    func makeAsyncIterator() -> Iterator { Iterator(rest: bytes) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var rest: ByteBuffer

        mutating func next() async throws -> ByteBuffer? {
            rest.readableBytes == 0 ? nil : rest.readSlice(length: Swift.min(10_000, rest.readableBytes))
        }
    }
}
