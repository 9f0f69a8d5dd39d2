import LiveServers
import NIOCore
import NIOEmbedded
import Sallyport
import SallyportNIO
import Testing

@testable import SallyportRelay

/// Connections that end before they have begun.
struct EndingTests {
    @Test("A connection that is closed before it is active is no client, and the end of the relay does not wait for it")
    func inactive() throws {
        let eventLoop = EmbeddedEventLoop()
        let settings = RelaySettings(parents: try Origin(parsing: "http://proxy.example:8080"))
        let current = CurrentHandler(try TestRelay.noAccounts())
        let core = RelayCore(settings, current, nil, TLSConnector(current))
        let loop = RelayLoop(core, on: eventLoop, loops: 1)
        let channel = EmbeddedChannel(loop: eventLoop)
        let listener = RelayListener(try ListenAddress(parsing: "127.0.0.1:0"))
        try channel.pipeline.syncOperations.addHandler(ClientConnection(loop, listener))
        #expect(loop.snapshot().clients == 1)
        channel.close(promise: nil)
        eventLoop.run()
        #expect(loop.snapshot().clients == 0)
        try loop.end().wait()
    }
}
