import AsyncHTTPClient
import Foundation
import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportAsyncHTTPClient
import SallyportNIO
import SallyportURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `AuthenticatedClient`.
struct EngineHost: RunningHost {
    private let world: World
    private let client: AuthenticatedClient

    init(_ world: World) {
        self.world = world
        client = AuthenticatedClient(world.current, settings: world.settings)
    }

    func send(_ request: RowRequest) async throws -> String {
        let bytes = World.bytes(request.count)
        let body: ClientRequest.Body =
            switch request.body {
            case .none: .none
            case .kept: .bytes(bytes)
            case .once: .once(length: nil, Pieces(bytes))
            }
        let sent = ClientRequest(
            origin: world.origin,
            method: HTTPMethod(rawValue: request.method),
            target: "/",
            headers: [:],
            body: body
        )
        do {
            let response = try await client.execute(sent, deadline: .now() + .hours(1))
            return World.result(Int(response.status.code), try await response.body.collect(upTo: 1 << 20))
        } catch {
            throw FailedRequest(reason: "\(error)")
        }
    }

    func shutDown() async { client.shutDown() }
}

/// A body in pieces.
struct Pieces: AsyncSequence, Sendable {
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

/// AsyncHTTPClient.
struct AsyncHost: RunningHost {
    private let world: World
    private let client: HTTPClient
    private let authenticator: HTTPClientAuthenticator

    init(_ world: World) {
        self.world = world
        var configuration = HTTPClient.Configuration.forAuthenticator
        configuration.timeout.connect = .hours(1)
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        authenticator = HTTPClientAuthenticator(world.current, settings: world.settings)
    }

    func send(_ request: RowRequest) async throws -> String {
        var sent = HTTPClientRequest(url: "\(world.origin)/")
        sent.method = HTTPMethod(rawValue: request.method)
        let bytes = World.bytes(request.count)
        switch request.body {
        case .none: break
        case .kept: sent.body = .bytes(bytes)
        case .once: sent.body = .stream(Pieces(bytes), length: .unknown)
        }
        do {
            let response = try await client.execute(sent, authenticator: authenticator, deadline: .now() + .hours(1))
            return World.result(Int(response.status.code), try await response.body.collect(upTo: 1 << 20))
        } catch {
            throw FailedRequest(reason: "\(error)")
        }
    }

    func shutDown() async {
        authenticator.shutDown()
        try? await client.shutdown()
    }
}

/// URLSession.
struct SessionHost: RunningHost {
    private let world: World
    private let session = URLSession(configuration: .ephemeral)
    private let authenticator: SessionAuthenticator

    init(_ world: World) {
        self.world = world
        authenticator = SessionAuthenticator(world.current, settings: world.settings)
    }

    func send(_ request: RowRequest) async throws -> String {
        guard let url = URL(string: "\(world.origin)/") else { throw URLError(.badURL) }
        var sent = URLRequest(url: url)
        sent.httpMethod = request.method
        sent.timeoutInterval = 3_600
        let bytes = Data(World.bytes(request.count).readableBytesView)
        switch request.body {
        case .none: break
        case .kept: sent.httpBody = bytes
        case .once: sent.httpBodyStream = InputStream(data: bytes)
        }
        do {
            let (data, response) = try await session.data(for: sent, authenticator: authenticator)
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            return World.result(status, ByteBuffer(bytes: data))
        } catch {
            throw FailedRequest(reason: "\(error)")
        }
    }

    func shutDown() async {
        authenticator.shutDown()
        session.invalidateAndCancel()
    }
}
