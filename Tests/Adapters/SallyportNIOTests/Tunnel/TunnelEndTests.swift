import NIOCore
import NIOEmbedded
import Testing

@testable import SallyportNIO

/// Two ends of a tunnel whose writes the test completes.
@Suite struct TunnelEndTests {
    /// Holds what is written until the test says what becomes of it.
    private final class Slow: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        var promises: [EventLoopPromise<Void>?] = []
        var reads = 0

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            promises.append(promise)
        }

        func read(context: ChannelHandlerContext) { reads += 1 }

        func finish(_ error: (any Error)? = nil) {
            for promise in promises {
                if let error { promise?.fail(error) } else { promise?.succeed() }
            }
            promises = []
        }
    }

    private let loop = EmbeddedEventLoop()
    private let left: EmbeddedChannel
    private let right: EmbeddedChannel
    private let slowLeft = Slow()
    private let slowRight = Slow()

    init() throws {
        (left, right) = (EmbeddedChannel(loop: loop), EmbeddedChannel(loop: loop))
        try left.pipeline.syncOperations.addHandler(slowLeft)
        try right.pipeline.syncOperations.addHandler(slowRight)
        for channel in [left, right] {
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        }
        let (one, other) = (try TunnelEnd(on: left), try TunnelEnd(on: right))
        one.join(right)
        other.join(left)
    }

    @Test("A side is read again when the other one has taken what came") func pace() throws {
        (slowLeft.reads, slowRight.reads) = (0, 0)
        try right.writeInbound(ByteBuffer(string: "a"))
        #expect(slowLeft.promises.count == 1 && slowRight.reads == 0)
        slowLeft.finish()
        loop.run()
        #expect(slowRight.reads == 1 && slowLeft.reads == 0)
    }

    @Test("A side that has sent and gone leaves the other one open until that has taken all") func gone() throws {
        try right.writeInbound(ByteBuffer(string: "last words"))
        right.close(promise: nil)
        loop.run()
        #expect(!right.isActive && left.isActive)
        slowLeft.finish()
        loop.run()
        #expect(!left.isActive)
    }

    @Test("A write that fails closes its own side, and what that side has sent is still taken") func failed() throws {
        try right.writeInbound(ByteBuffer(string: "last words"))
        try left.writeInbound(ByteBuffer(string: "too late"))
        slowRight.finish(ChannelError.eof)
        loop.run()
        #expect(!right.isActive && left.isActive)
        slowLeft.finish()
        loop.run()
        #expect(!left.isActive)
    }

    @Test("A side that takes nothing holds up the end for five minutes") func stuck() throws {
        try right.writeInbound(ByteBuffer(string: "last words"))
        right.close(promise: nil)
        loop.run()
        loop.advanceTime(by: .seconds(299))
        #expect(left.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!left.isActive)
    }
}
