import HTTP1
import Hostnames
import LiveServers
import NIOCore
import NIOEmbedded
import Sallyport
import SallyportNIO
import Testing

@testable import SallyportRelay

/// What a tunnel keeps while no bytes pass.
struct IdleTunnelTests {
    private let eventLoop = EmbeddedEventLoop()
    private let loop: RelayLoop
    private let client: AcceptedConnection
    private let exchange: RelayedRequest
    private let upstream: UpstreamConnection
    private let channel: EmbeddedChannel
    private let upstreamChannel: EmbeddedChannel

    init() throws {
        let settings = RelaySettings(parents: try Origin(parsing: "http://proxy.example:8080"))
        let current = CurrentHandler(try TestRelay.noAccounts())
        loop = RelayLoop(RelayCore(settings, current, nil, TLSConnector(current)), on: eventLoop, loops: 1)
        client = AcceptedConnection(loop.clients, RelayListener(try ListenAddress(parsing: "127.0.0.1:0")))
        let pool = try #require(client.pools.pool(for: try Self.destination(), by: .parent(0)))
        exchange = try Self.exchange(of: client, pool, current.handler)
        upstream = UpstreamConnection(pool, key: pool.key(of: current.handler))
        (channel, upstreamChannel) = (EmbeddedChannel(loop: eventLoop), EmbeddedChannel(loop: eventLoop))
        try channel.pipeline.syncOperations.addHandler(client)
        try upstreamChannel.pipeline.syncOperations.addHandler(upstream)
    }

    private static func destination() throws -> Destination {
        let authority = Array("server.example:443".utf8)
        return try Destination(0..<authority.count, isTunnel: true, in: authority.span, DestinationRules())
    }

    private static func exchange(
        of client: AcceptedConnection,
        _ pool: UpstreamPool,
        _ handler: ChallengeHandler
    ) throws -> RelayedRequest {
        let bytes = ByteBuffer(string: "CONNECT server.example:443 HTTP/1.1\r\nHost: server.example:443\r\n\r\n")
        let span = bytes.readableBytesUInt8Span
        let head = try RequestHead(parsing: span)
        let target = try ProxyTarget(of: head, in: span)
        let request = ReadRequest(head: head, target: target, destination: try destination(), bytes: bytes)
        let (prefix, path) = request.prefix(isOriginForm: false, nil, via: [], HeadMemory())
        let text = RequestText(prefix, path: path, rewrite: nil)
        return RelayedRequest(request, text, by: [.parent(0)], to: pool, with: handler, for: client)
    }

    private func end() throws {
        for each in [channel, upstreamChannel] { each.close(promise: nil) }
        eventLoop.run()
        try loop.end().wait()
    }

    /// The sum of the sizes of its properties.
    private func size(of object: Any) -> Int {
        func size<Value>(_: Value) -> Int { MemoryLayout<Value>.size }
        return Mirror(reflecting: object).children.reduce(0) { $0 + size($1.value) }
    }

    @Test("The objects of a connection are small: what few of them need is in other objects")
    func areSmall() throws {
        #expect(size(of: client) <= 240)
        #expect(size(of: upstream) <= 240)
        try end()
    }

    @Test("The server of the request that opened a tunnel is forgotten, because no request follows")
    func forgets() throws {
        client.destination = try Self.destination()
        weak let destination = client.destination
        #expect(destination != nil)
        upstream.begin(exchange, .connect)
        client.openTunnel(upstream)
        #expect(destination == nil)
        #expect(client.isInTunnel && upstream.isInTunnel)
        try end()
    }

    @Test("A channel keeps no memory of the responses to CONNECT and of the tunnel, and that of other reads")
    func reads() throws {
        func keepsMemory() throws -> Bool {
            let option = try upstreamChannel.syncOptions?.getOption(.recvAllocator)
            return try #require(option).nextBufferSize() != nil
        }
        upstream.begin(exchange, .connect)
        #expect(try !keepsMemory())
        // A refusal: the parent's connection carries another request.
        upstream.begin(exchange, .idempotent)
        #expect(try keepsMemory())
        upstream.begin(exchange, .connect)
        client.openTunnel(upstream)
        #expect(try !keepsMemory())
        try end()
    }
}
