import LiveServers
import NIOCore
import NIOPosix
import Sallyport
import Testing

@testable import SallyportRelay

/// Parents of HTTP/1.0, which keep a connection only if they are asked to: in the words `Proxy-Connection: keep-alive`.
///
/// What the peers send to a proxy, with each request and each CONNECT, whatever its version: curl 7.88.1 and wget 1.21.3
/// `Proxy-Connection: Keep-Alive`, Chromium 156 and cntlm 0.92.3 `Proxy-Connection: keep-alive`.
@Suite(.inTurn) struct OldParentTests {
    @Test(
        "A parent that offers NTLM only to such a request authenticates the connection once",
        arguments: [false, true]
    )
    func ntlm(connects: Bool) async throws {
        let parent = try await AnsweringTests.ntlm(isOld: true) { _, _ in false }
        defer { parent.stop() }
        let handler = try TestRelay.handler(parent.origin, .ntlm, domain: "ACME")
        // One loop, so that all requests find the same connection.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await TestRelay.run(before: parent.origin, handler, group: group) { relay in
            for number in 0..<3 {
                let client = try relay.connect()
                if connects {
                    try client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n")
                    #expect(try client.readHead().status == 200)
                } else {
                    let response = try client.get("http://a.example/\(number)")
                    #expect(response.status == 200, "\(response.body)")
                }
            }
        }
        try await group.shutdownGracefully()
        #expect(parent.requests.allSatisfy { $0.field("Proxy-Connection") == "keep-alive" })
        // A tunnel takes its connection; the requests share one.
        #expect(parent.connections == (connects ? 3 : 1))
        if !connects { #expect(parent.requests.count == 5) }
    }

    @Test("A parent of HTTP/1.1 is asked once a connection, and a server that is reached directly never")
    func current() async throws {
        let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        let (parent, server) = (
            try await ScriptedServer { _ in .send(ok) }, try await ScriptedServer { _ in .send(ok) }
        )
        defer { for each in [parent, server] { each.stop() } }
        var rules = try TestRelay.loopback()
        rules.direct = rules.allowed
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await TestRelay.run(before: parent.origin, destinations: rules, group: group) { relay in
            let client = try relay.connect()
            for number in 0..<3 { #expect(try client.get("http://a.example/\(number)").status == 200) }
            #expect(try client.get("\(server.origin)/").status == 200)
        }
        try await group.shutdownGracefully()
        #expect(parent.connections == 1)
        #expect(parent.requests.map { $0.field("Proxy-Connection") } == ["keep-alive", nil, nil])
        #expect(server.requests.map { $0.field("Proxy-Connection") } == [nil])
    }
}
