import LiveServers
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportNIO
import Testing

/// Real servers and proxies, asked through a bare NIO pipeline.
@Suite(.inTurn, .serialized, .needs(.apache, .gssNTLMSSP, .lighttpd, .nginx, .squid, .pyspnego))
struct LiveHandlerTests {
    @Test("A right password is accepted, with and without a body", arguments: GuardedServer.Kind.matrix)
    func right(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let user = try LiveUser(server, GuardedServer.password)
        for number in 0..<3 {
            let sendsBody = number == 1
            let body = sendsBody ? String(repeating: "x", count: 100_000) : nil
            let status = try await user.ask(server.page(number), body: body).status
            // Not every server takes a POST to a file.
            if body == nil { #expect(status == 200) } else { #expect(status != 401 && status != 407) }
        }
        #expect(try server.takeBadLogOns() == 0)
        try await user.close()
    }

    @Test("A wrong password is sent once", arguments: GuardedServer.Kind.matrix)
    func wrong(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let user = try LiveUser(server, "Wrong")
        let refused = server.isProxy ? 407 : 401
        for number in 0..<3 { #expect(try await user.ask(server.page(number)).status == refused) }
        #expect(try server.takeBadLogOns() == 1)
        try await user.close()
    }

    @Test("A changed password costs two bad log-ons at most; the new one works", arguments: GuardedServer.Kind.matrix)
    func changed(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let user = try LiveUser(server, GuardedServer.password)
        let refused = server.isProxy ? 407 : 401
        #expect(try await user.ask(server.page(0)).status == 200)
        try server.change(to: "Another-Horse")
        // A connection that NTLM has authenticated stays so.
        try await user.close()
        try await Task.sleep(for: .milliseconds(300))
        #expect(try server.takeBadLogOns() == 0)
        for number in 1..<5 { #expect(try await user.ask(server.page(number)).status == refused) }
        let bad = try server.takeBadLogOns()
        #expect((1...2).contains(bad), "\(bad)")
        for number in 5..<8 { #expect(try await user.ask(server.page(number)).status == refused) }
        #expect(try server.takeBadLogOns() == 0)

        try await user.close()
        user.challenges.replace(with: try server.handler(password: "Another-Horse").compiled)
        for number in 8..<10 { #expect(try await user.ask(server.page(number)).status == 200) }
        #expect(try server.takeBadLogOns() == 0)
        try await user.close()
    }

    @Test("A tunnel through Squid", arguments: GuardedServer.Kind.squid, [true, false])
    func tunnel(kind: GuardedServer.Kind, isRight: Bool) async throws {
        let server = try await GuardedServer.started(kind)
        let challenges = CurrentHandler(try server.handler(password: isRight ? GuardedServer.password : "Wrong"))
        let (proxy, origin) = (try server.address(), try server.openOrigin)
        let (channel, opened) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(
            .hours(1)
        )
        .connect(host: "localhost", port: Int(proxy.port)) { channel in
            channel.eventLoop.makeCompletedFuture {
                let opened = channel.eventLoop.makePromise(of: Void.self)
                let tunnel = ProxyTunnelHandler(challenges, to: origin, through: proxy, opened: opened)
                try channel.pipeline.syncOperations.addHandler(tunnel)
                return (channel, opened.futureResult)
            }
        }
        do {
            try await opened.get()
            #expect(isRight)
        } catch ProxyTunnelError.refused(407, _, _, .withheld(.credentialsRefused, by: .proxy)) {
            #expect(!isRight)
        }
        #expect(try server.takeBadLogOns() == (isRight ? 0 : 1))
        try? await channel.close()
    }
}
