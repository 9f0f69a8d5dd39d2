import Hostnames
import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import Testing

/// Bodies at real servers and proxies.
@Suite(.inTurn, .serialized, .needs(.apache, .gssNTLMSSP, .lighttpd, .nginx, .squid, .pyspnego))
struct LivePostTests {
    @Test(
        "Bodies of 100 KB, kept and streamed once, arrive and leave a usable connection",
        arguments: GuardedServer.Kind.matrix
    )
    func posts(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let handler = try server.handler()
        var settings = ClientSettings.patient
        let address = try server.address()
        // Squid does not answer the expectation; it has accepted the client before such a body comes.
        if server.isProxy { (settings.proxy, settings.continueLimit) = ({ _ in address }, .seconds(1)) }
        let client = AuthenticatedClient(CurrentHandler(handler), settings: settings)
        defer { client.shutDown() }
        let origin = server.isProxy ? try server.openOrigin : address
        let bytes = ByteBuffer(repeating: 0x61, count: 100_000)
        for (number, body) in [
            ClientRequest.Body.bytes(bytes), .none, .repeatable(length: 100_000) { Slices(bytes) },
            .once(length: nil, Slices(bytes)), .bytes(bytes), .none,
        ].enumerated() {
            let method: HTTPMethod = if case .none = body { .GET } else { .POST }
            let request = ClientRequest(origin: origin, method: method, target: server.page(number), body: body)
            let response = try await client.execute(request, deadline: .now() + .hours(1))
            _ = try await response.body.collect(upTo: 1 << 20)
            #expect(response.status != .unauthorized && response.status != .proxyAuthenticationRequired)
        }
        #expect(try server.takeBadLogOns() == 0)
    }
}

/// A body in slices of 10 KB.
private struct Slices: AsyncSequence, Sendable {
    let bytes: ByteBuffer

    init(_ bytes: ByteBuffer) { self.bytes = bytes }

    func makeAsyncIterator() -> Iterator { Iterator(rest: bytes) }

    struct Iterator: AsyncIteratorProtocol {
        var rest: ByteBuffer

        mutating func next() async throws -> ByteBuffer? {
            rest.readableBytes == 0 ? nil : rest.readSlice(length: Swift.min(10_000, rest.readableBytes))
        }
    }
}
