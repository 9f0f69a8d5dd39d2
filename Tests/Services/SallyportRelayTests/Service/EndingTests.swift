import LiveServers
import NIOCore
import NIOEmbedded
import Sallyport
import SallyportNIO
import Testing

@testable import SallyportRelay

/// Connections that end before they have begun, and the end of a relay.
@Suite(.inTurn) struct EndingTests {
    @Test("A connection that is closed before it is active is no client, and the end of the relay does not wait for it")
    func inactive() throws {
        let eventLoop = EmbeddedEventLoop()
        let settings = RelaySettings(parents: try Origin(parsing: "http://proxy.example:8080"))
        let current = CurrentHandler(try TestRelay.noAccounts())
        let core = RelayCore(settings, current, nil, TLSConnector(current))
        let loop = RelayLoop(core, on: eventLoop, loops: 1)
        let channel = EmbeddedChannel(loop: eventLoop)
        let listener = RelayListener(try ListenAddress(parsing: "127.0.0.1:0"))
        try channel.pipeline.syncOperations.addHandler(AcceptedConnection(loop.clients, listener))
        #expect(loop.snapshot().clients == 1)
        channel.close(promise: nil)
        eventLoop.run()
        #expect(loop.snapshot().clients == 0)
        try loop.end().wait()
    }

    @Test("Connections that are closed at once end a stop that waits for a tunnel")
    func atOnce() async throws {
        let parent = try await ScriptedServer { _ in .send("HTTP/1.1 200 Yes\r\n\r\n") }
        defer { parent.stop() }
        var settings = RelaySettings(parents: parent.origin)
        settings.listeners = [.anyPort]
        // Far longer than a test may take.
        settings.limits.grace = .hours(24)
        let relay = Relay(CurrentHandler(try TestRelay.noAccounts()), settings)
        let port = try #require(try await relay.start().first?.port)
        let client = try RelayClient(port: UInt16(port))
        try client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readHead().status == 200)
        let counters = await relay.counters()
        #expect(counters.openTunnels == 1 && counters.openRequests == 0)
        async let end: Void = relay.stop()
        try await eventually("the relay no longer listens") { !relay.isListening }
        relay.closeAllConnections()
        await end
        #expect(try client.readToEnd().isEmpty)
    }
}
