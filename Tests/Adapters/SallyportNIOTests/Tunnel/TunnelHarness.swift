import NIOCore
import NIOEmbedded
import Sallyport
import SallyportNIO
import Testing

/// A channel to a proxy without a socket: the bytes that the handler sends, and what it passes on.
final class TunnelHarness {
    let channel: EmbeddedChannel
    let later = TunnelUser()
    let socket = SocketStandIn()
    var whenOpen: () -> Void = {}
    private(set) var result: Result<Void, any Error>?

    init(
        _ challenges: ChallengeHandler,
        to origin: String = "https://wiki.acme.example",
        fields: HTTPFields = [:],
        continuing: ContinuedTunnel? = nil,
        _ change: (inout ProxyTunnelOptions) -> Void = { _ in },
        configure: (@Sendable (any Channel) -> EventLoopFuture<Void>)? = nil
    ) throws {
        var options = ProxyTunnelOptions()
        change(&options)
        channel = EmbeddedChannel()
        let opened = channel.eventLoop.makePromise(of: Void.self)
        let handler = ProxyTunnelHandler(
            CurrentHandler(challenges),
            to: try Origin(parsing: origin),
            through: try Origin(parsing: ClientProfile.proxy),
            fields: fields,
            options: options,
            continuing: continuing,
            opened: opened,
            configure: configure
        )
        try channel.pipeline.syncOperations.addHandlers([socket, handler, later])
        opened.futureResult.assumeIsolated().whenComplete { result in
            self.result = result
            self.whenOpen()
        }
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 3_128)).wait()
    }

    /// All bytes that were sent since the last call.
    func sent() throws -> String {
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        return text
    }

    func receive(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    /// Receives one byte after the other.
    func receiveSlowly(_ text: String) throws {
        for byte in text.utf8 { try channel.writeInbound(ByteBuffer(bytes: [byte])) }
    }

    var isOpen: Bool { if case .success? = result { true } else { false } }

    var error: ProxyTunnelError? {
        guard case .failure(let error)? = result else { return nil }
        return error as? ProxyTunnelError
    }

    func continued(_ location: SourceLocation = #_sourceLocation) throws -> ContinuedTunnel {
        guard case .connectionNeeded(let tunnel)? = error else {
            Issue.record("\(String(describing: result))", sourceLocation: location)
            throw ClientHarness.NothingSent()
        }
        #expect(!channel.isActive, sourceLocation: location)
        return tunnel
    }

    var hasHandler: Bool {
        (try? channel.pipeline.syncOperations.handler(type: ProxyTunnelHandler.self)) != nil
    }
}

/// What comes through the tunnel, when a read event has ended.
final class TunnelUser: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    var text = ""
    private var came = ""

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { came += String(buffer: unwrapInboundIn(data)) }

    func channelReadComplete(context: ChannelHandlerContext) {
        text += came
        came = ""
    }
}
