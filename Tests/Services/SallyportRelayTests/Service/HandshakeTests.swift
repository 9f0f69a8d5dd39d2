import HTTPAuthentication
import LiveServers
import NIOCore
import NIOPosix
import Synchronization
import Testing

/// Tunnels through a parent with NTLM: each needs a handshake of its own.
@Suite(.inTurn) struct HandshakeTests {
    /// The type of the NTLM message in a request (MS-NLMP 2.2.1), as the letter that stands for it in Base64: B is NEGOTIATE, D AUTHENTICATE.
    private static func messages(_ parent: ScriptedServer) -> String {
        parent.requests.map { request in
            request.field("Proxy-Authorization").map { String($0.dropFirst(16).prefix(1)) } ?? "-"
        }
        .joined()
    }

    /// Opens tunnels one after the other, on one event loop: each loop learns by itself what the parent asks.
    private static func openTunnels(_ count: Int, _ parent: ScriptedServer, _ opened: (Int) -> Void = { _ in })
        async throws
    {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let handler = try TestRelay.handler(parent.origin, .ntlm, domain: "ACME")
        try await TestRelay.run(before: parent.origin, handler, group: group) { relay in
            for number in 1...count {
                let client = try relay.connect()
                try client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n")
                #expect(try client.readHead().status == 200)
                opened(number)
            }
        }
        try await group.shutdownGracefully()
    }

    @Test("Where a parent has asked for NTLM, the next tunnel begins with its first message")
    func begins() async throws {
        let parent = try await AnsweringTests.ntlm { _, _ in false }
        defer { parent.stop() }
        try await Self.openTunnels(3, parent)
        #expect(Self.messages(parent) == "-BDBDBD")
    }

    @Test("A connection that the parent closes at that message is tried again once, and the password is sent once")
    func closed() async throws {
        let parent = try await AnsweringTests.ntlm { type, count in type == "B" && count == 2 }
        defer { parent.stop() }
        try await Self.openTunnels(2, parent)
        #expect(Self.messages(parent).filter { $0 == "D" }.count == 2)
    }

    @Test("A parent that lets the message pass has stopped to ask: the tunnel after it begins without one")
    func open() async throws {
        let isOpen = Atomic(false)
        let parent = try await AnsweringTests.ntlm(
            isOpen: { isOpen.load(ordering: .relaxed) },
            closesAt: { _, _ in false }
        )
        defer { parent.stop() }
        try await Self.openTunnels(3, parent) { _ in isOpen.store(true, ordering: .relaxed) }
        #expect(Self.messages(parent) == "-BDB-")
    }
}
