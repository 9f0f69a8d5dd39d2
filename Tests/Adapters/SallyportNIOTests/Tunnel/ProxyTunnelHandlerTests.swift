import NIOCore
import NIOEmbedded
import Sallyport
import SallyportNIO
import Testing

@Suite struct ProxyTunnelHandlerTests {
    let challenges: ChallengeHandler
    let ask = "HTTP/1.1 407 Asks\r\nProxy-Authenticate: Basic realm=p\r\n"

    init() throws { challenges = try ClientProfile.handler() }

    @Test("CONNECT names host and port, and IPv6 in brackets")
    func connects() throws {
        let named = try TunnelHarness(challenges, fields: [.userAgent: "curl"])
        #expect(
            try named.sent()
                == "CONNECT wiki.acme.example:443 HTTP/1.1\r\nHost: wiki.acme.example:443\r\nUser-Agent: curl\r\n"
                + "Proxy-Connection: keep-alive\r\n\r\n"
        )
        let address = try TunnelHarness(challenges, to: "https://[2001:DB8::1]:8443")
        #expect(
            try address.sent()
                == "CONNECT [2001:db8::1]:8443 HTTP/1.1\r\nHost: [2001:db8::1]:8443\r\nProxy-Connection: keep-alive\r\n\r\n"
        )
    }

    @Test("A proxy of HTTP/1.0 is asked with each message to keep the connection, one of HTTP/1.1 with the first")
    func persistence() throws {
        for (version, keeps) in [("1.0", "Proxy-Connection: keep-alive\r\n"), ("1.1", "")] {
            // With a handler that does not answer in advance.
            let harness = try TunnelHarness(try ClientProfile.handler())
            #expect(try harness.sent().contains("\r\nProxy-Connection: keep-alive\r\n"))
            try harness.receive(
                "HTTP/\(version) 407 Asks\r\nProxy-Authenticate: Basic realm=p\r\n\(keeps)Content-Length: 0\r\n\r\n"
            )
            let again = try harness.sent()
            #expect(again.contains("Proxy-Authorization: Basic "))
            #expect(again.contains("\r\nProxy-Connection: keep-alive\r\n") == (version == "1.0"), "\(again)")
        }
        let own = try TunnelHarness(challenges, fields: [try #require(HTTPField.Name("Proxy-Connection")): "close"])
        #expect(try own.sent().ranges(of: "Proxy-Connection").count == 1)
    }

    @Test("Fields that belong to the handler are refused", arguments: ["Host", "content-length", "Transfer-Encoding"])
    func ownFields(name: String) throws {
        let harness = try TunnelHarness(challenges, fields: [try #require(HTTPField.Name(name)): "1"])
        guard case .unsendableField(name)? = harness.error else {
            Issue.record("\(String(describing: harness.result))")
            return
        }
    }

    @Test(
        "After 2xx the tunnel is open: early bytes and held writes pass, and the handler is gone",
        arguments: [true, false]
    )
    func opens(slowly: Bool) throws {
        let harness = try TunnelHarness(challenges)
        _ = try harness.sent()
        var results: [Bool] = []
        harness.channel.write(ByteBuffer(string: "hello ")).assumeIsolated().whenComplete {
            results.append((try? $0.get()) != nil)
        }
        harness.channel.writeAndFlush(ByteBuffer(string: "origin")).assumeIsolated()
            .whenComplete { results.append((try? $0.get()) != nil) }
        #expect(try harness.sent().isEmpty && results.isEmpty)
        // A recipient ignores both lengths (RFC 9110 section 9.3.6).
        let response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nearly bytes"
        if slowly { try harness.receiveSlowly(response) } else { try harness.receive(response) }
        #expect(harness.isOpen && harness.later.text == "early bytes" && !harness.hasHandler)
        #expect(try harness.sent() == "hello origin" && results == [true, true])
        try harness.receive(" and more")
        #expect(harness.later.text == "early bytes and more")
        harness.channel.embeddedEventLoop.advanceTime(by: .minutes(5))
        #expect(harness.channel.isActive)
    }

    @Test("Handlers that a callback of the promise adds get the early bytes") func callback() throws {
        let harness = try TunnelHarness(challenges)
        let added = TunnelUser()
        harness.whenOpen = {
            _ = try? harness.channel.pipeline.syncOperations.addHandler(added, position: .before(harness.later))
        }
        try harness.receive("HTTP/1.1 200 OK\r\n\r\nearly")
        #expect(added.text == "early" && harness.later.text.isEmpty)
    }

    @Test("`configure` runs before the first byte, which waits for it") func configures() throws {
        let waiting = Waiting()
        let harness = try TunnelHarness(challenges, configure: { channel in waiting.begin(channel) })
        try harness.receive("HTTP/1.1 200 OK\r\n\r\nearly")
        try harness.receive(" bytes")
        #expect(harness.later.text.isEmpty && !harness.isOpen)
        waiting.promise?.succeed()
        harness.channel.embeddedEventLoop.run()
        #expect(harness.later.text == "early bytes" && harness.isOpen)
    }

    final class Waiting: @unchecked Sendable {
        var promise: EventLoopPromise<Void>?

        func begin(_ channel: any Channel) -> EventLoopFuture<Void> {
            let promise = channel.eventLoop.makePromise(of: Void.self)
            self.promise = promise
            return promise.futureResult
        }
    }

    @Test(
        "A 407 is answered on the same connection, after its body",
        arguments: [
            "Content-Length: 4\r\n\r\nbody", "Content-Length: 0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n4;x=y\r\nbody\r\nA\r\n0123456789\r\n0\r\nX-Trailer: 1\r\n\r\n",
        ]
    )
    func answers(rest: String) throws {
        for slowly in [false, true] {
            let harness = try TunnelHarness(try ClientProfile.handler())
            _ = try harness.sent()
            let response = "HTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + ask + rest
            if slowly { try harness.receiveSlowly(response) } else { try harness.receive(response) }
            let again = try harness.sent()
            #expect(again.hasPrefix("CONNECT wiki.acme.example:443 HTTP/1.1\r\n"))
            #expect(again.contains("Proxy-Authorization: Basic amRvZTpDb3JyZWN0LUhvcnNl\r\n"))
            try harness.receive("HTTP/1.1 200 OK\r\n\r\n")
            #expect(harness.isOpen)
        }
    }

    @Test("NTLM takes three messages on one connection") func ntlm() throws {
        let harness = try TunnelHarness(challenges)
        var proxy = NTLMServer()
        _ = try harness.sent()
        try harness.receive("HTTP/1.1 407 Asks\r\nProxy-Authenticate: NTLM\r\nContent-Length: 2\r\n\r\nno")
        guard case .challenge(let value) = try proxy.reply(to: answer(in: harness.sent())) else {
            Issue.record("no NEGOTIATE")
            return
        }
        try harness.receive("HTTP/1.1 407 Asks\r\nProxy-Authenticate: \(value)\r\nContent-Length: 2\r\n\r\nno")
        #expect(try proxy.reply(to: answer(in: harness.sent())) == .accepted)
        try harness.receive("HTTP/1.1 200 OK\r\n\r\n")
        #expect(harness.isOpen)
    }

    func answer(in request: String) throws -> String {
        let line = request.split(separator: "\r\n").first { $0.hasPrefix("Proxy-Authorization: ") }
        return String(try #require(line).dropFirst("Proxy-Authorization: ".count))
    }

    @Test("A refused CONNECT says status, fields and outcome") func refused() throws {
        let forbidden = try TunnelHarness(challenges)
        let held = forbidden.channel.writeAndFlush(ByteBuffer(string: "never"))
        try forbidden.receive("HTTP/1.1 403 No\r\nX-Reason: policy\r\nContent-Length: 0\r\n\r\n")
        guard case .refused(403, "No", let fields, .notChallenged)? = forbidden.error else {
            Issue.record("\(String(describing: forbidden.result))")
            return
        }
        #expect(fields[try #require(HTTPField.Name("X-Reason"))] == "policy" && !forbidden.channel.isActive)
        #expect(throws: ProxyTunnelError.self) { try held.wait() }

        let wrong = try TunnelHarness(challenges)
        for _ in 0..<2 { try wrong.receive(ask + "Content-Length: 0\r\n\r\n") }
        guard case .refused(407, "Asks", _, .withheld(.credentialsRefused, by: .proxy))? = wrong.error else {
            Issue.record("\(String(describing: wrong.result))")
            return
        }
        #expect(!"\(try #require(wrong.error))".contains("\n"))
    }

    @Test(
        "Where the connection cannot go on, a new one does",
        arguments: [
            "Connection: close\r\nContent-Length: 0\r\n\r\n", "\r\n", "Content-Length: 9999999\r\n\r\n",
            "Content-Length: 5\r\n\r\nab",
        ]
    )
    func moves(rest: String) throws {
        let harness = try TunnelHarness(challenges)
        _ = try harness.sent()
        try harness.receive(ask + rest)
        if rest.hasSuffix("ab") { harness.channel.close(promise: nil) }
        #expect(try harness.sent().isEmpty)
        let second = try TunnelHarness(challenges, continuing: try harness.continued())
        #expect(try second.sent().contains("Proxy-Authorization: Basic "))
        try second.receive("HTTP/1.1 200 OK\r\n\r\n")
        #expect(second.isOpen)
    }

    @Test("A handshake that its connection loses begins anew, once") func lostHandshake() throws {
        var continued: ContinuedTunnel?
        for turn in 1...2 {
            let harness = try TunnelHarness(challenges, continuing: continued)
            #expect(try !harness.sent().contains("Proxy-Authorization"))
            try harness.receive("HTTP/1.1 407 Asks\r\nProxy-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n")
            #expect(try harness.sent().contains("Proxy-Authorization: NTLM "))
            harness.channel.close(promise: nil)
            if turn == 1 {
                continued = try harness.continued()
            } else {
                let error = try #require(harness.error)
                guard case .handshakeLost(.withheld(.exchangeFailed(_, .closedInHandshake(.ntlm)), by: .proxy)) = error
                else {
                    Issue.record("\(String(describing: harness.result))")
                    return
                }
                #expect("\(error)".hasPrefix("CONNECT: the proxy: ") && "\(error)".contains(" on a message of ntlm,"))
            }
        }
    }

    @Test("A close before any answer, a removal and an error of another handler fail the tunnel") func ends() throws {
        let closed = try TunnelHarness(challenges)
        closed.channel.close(promise: nil)
        guard case .connectionClosed? = closed.error else {
            Issue.record("\(String(describing: closed.result))")
            return
        }
        let failed = try TunnelHarness(challenges)
        #expect(throws: ChannelError.self) {
            failed.channel.pipeline.fireErrorCaught(ChannelError.connectTimeout(.seconds(1)))
            try failed.channel.throwIfErrorCaught()
        }
        guard case .failure(let error as ChannelError)? = failed.result, case .connectTimeout = error else {
            Issue.record("\(String(describing: failed.result))")
            return
        }
        #expect(!failed.channel.isActive)
    }

    @Test("The deadline ends a proxy that does not answer, or dribbles") func deadline() throws {
        let harness = try TunnelHarness(challenges) { $0.deadline = .milliseconds(500) }
        for byte in "HTTP/1.1 ".utf8 {
            harness.channel.embeddedEventLoop.advanceTime(by: .milliseconds(50))
            try harness.channel.writeInbound(ByteBuffer(bytes: [byte]))
        }
        #expect(harness.result == nil)
        harness.channel.embeddedEventLoop.advanceTime(by: .milliseconds(50))
        guard case .deadlineExceeded(milliseconds: 500)? = harness.error else {
            Issue.record("\(String(describing: harness.result))")
            return
        }
        #expect(!harness.channel.isActive)
    }

    @Test("The handshake reads for a user who does not, and the tunnel does not") func reads() throws {
        let harness = try TunnelHarness(challenges)
        for piece in ["HTTP/1.1 407 As", "ks\r\nProxy-Authenticate: Basic realm=p\r\nContent-Length: 2\r\n\r\nn", "o"] {
            harness.socket.count = 0
            try harness.receive(piece)
            #expect(harness.socket.count > 0)
        }
        try harness.receive("HTTP/1.1 200 OK\r\n")
        harness.socket.count = 0
        try harness.receive("\r\nearly")
        #expect(harness.socket.count == 0 && harness.isOpen)
    }

    @Test("A request that another tunnel's attempt holds up goes on after it") func waits() throws {
        let first = try TunnelHarness(challenges)
        let second = try TunnelHarness(challenges)
        for harness in [first, second] {
            _ = try harness.sent()
            try harness.receive(ask + "Content-Length: 2\r\n\r\nno")
        }
        #expect(try first.sent().contains("Proxy-Authorization") && second.sent().isEmpty)
        try first.receive("HTTP/1.1 200 OK\r\n\r\n")
        second.channel.embeddedEventLoop.run()
        #expect(try second.sent().contains("Proxy-Authorization"))
        try second.receive("HTTP/1.1 200 OK\r\n\r\n")
        #expect(second.isOpen)
    }

    @Test("Held writes are bounded") func bound() throws {
        let harness = try TunnelHarness(challenges) { $0.mostHeldBytes = 4 }
        harness.channel.write(ByteBuffer(string: "1234"), promise: nil)
        #expect(harness.result == nil)
        harness.channel.write(ByteBuffer(string: "5"), promise: nil)
        guard case .tooMuchWaits(bound: 4)? = harness.error else {
            Issue.record("\(String(describing: harness.result))")
            return
        }
    }
}
