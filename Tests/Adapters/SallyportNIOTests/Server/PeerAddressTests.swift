import LiveServers
import NIOCore
import Testing

@testable import SallyportNIO

/// What wrong passwords of a peer are counted by.
@Suite(.inTurn) struct PeerAddressTests {
    @Test(
        "A peer of this machine is its user; another one is its address, and nobody is asked whose it is",
        arguments: [
            ("127.0.0.1", "127.0.0.1", "uid 7"), ("127.9.8.7", "127.0.0.1", "uid 7"), ("::1", "::1", "uid 7"),
            ("::ffff:127.0.0.1", "::ffff:127.0.0.1", "uid 7"), ("192.0.2.1", "192.0.2.1", "uid 7"),
            ("2001:db8::1", "2001:db8::1", "uid 7"), ("192.0.2.2", "192.0.2.1", "192.0.2.2"),
            ("2001:db8::2", "2001:db8::1", "2001:db8::2"),
        ]
    )
    func peers(peer: String, local: String, key: String) throws {
        let (peer, local) = (try SocketAddress(ipAddress: peer, port: 1), try SocketAddress(ipAddress: local, port: 2))
        #expect(PeerAddress.guessAddress(of: peer, at: local) { _, _ in 7 } == key)
        // The system may not say.
        #expect(PeerAddress.guessAddress(of: peer, at: local) { _, _ in nil } == peer.ipAddress)
    }

    @Test("A peer without an address of the internet has none")
    func others() throws {
        #expect(PeerAddress.guessAddress(of: nil, at: nil) == nil)
        let path = try SocketAddress(unixDomainSocketPath: "/run/a")
        #expect(PeerAddress.guessAddress(of: path, at: path) == nil)
    }

    #if os(Linux)
        @Test("A socket that its program has closed has no owner, although the kernel says root")
        func closedSocket() throws {
            let peer = try SocketAddress(ipAddress: "127.0.0.1", port: Int(ServerPort.take()))
            let local = try SocketAddress(ipAddress: "127.0.0.1", port: Int(ServerPort.take()))
            #expect(SocketOwner.find(peer: peer, local: local) == nil)
        }
    #endif
}
