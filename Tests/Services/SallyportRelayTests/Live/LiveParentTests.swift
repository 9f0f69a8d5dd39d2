import HTTPAuthentication
import LiveServers
import NIOCore
import Sallyport
import SallyportRelay
import TestSupport
import Testing

/// Squid as the parent, with each scheme that it offers.
@Suite(.inTurn, .serialized, .needs(.squid, .winbind)) struct LiveParentTests {
    @Test(
        "Requests and tunnels pass, with and without a body, on connections that are authenticated once",
        .row(3),
        arguments: GuardedServer.Kind.squid
    )
    func right(kind: GuardedServer.Kind) async throws {
        let squid = try await GuardedServer.started(kind)
        let origin = try squid.openOrigin
        var limits = RelayLimits()
        // Squid does not answer the expectation. When the body comes, it has accepted the client.
        limits.continuing = .seconds(2)
        try await TestRelay.run(
            before: squid.address(),
            squid.handler(),
            destinations: TestRelay.loopback(),
            limits: limits
        ) { relay in
            let client = try relay.connect()
            for number in 0..<10 {
                let response = try client.get("\(origin)\(squid.page(number))")
                #expect(response.status == 200)
                #expect(response.body == "<p>in</p>\n")
            }
            // The origin takes no POST, and says so after the body.
            try client.send("POST \(origin)/p1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try client.readResponse().status == 501)
            let tunnel = try relay.connect()
            try tunnel.send("CONNECT \(origin.host):\(origin.port) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try tunnel.readHead().status == 200)
            try tunnel.send("GET /p1 HTTP/1.0\r\n\r\n")
            #expect(try tunnel.readResponse().body == "<p>in</p>\n")
            let counters = await relay.relay.counters()
            #expect(counters.badLogOns == 0)
        }
        let bad = try squid.takeBadLogOns()
        #expect(bad == 0)
    }

    @Test(
        "Destinations that a rule denies after a right log-on are 403, however often, and do not spend the password",
        arguments: GuardedServer.Kind.squid
    )
    func denied(kind: GuardedServer.Kind) async throws {
        let squid = try await GuardedServer.started(kind)
        let (origin, page) = (try squid.openOrigin, squid.page(1))
        try await TestRelay.run(before: squid.address(), squid.handler(), destinations: TestRelay.loopback()) { relay in
            for number in 0..<4 {
                let client = try relay.connect()
                try client.send("CONNECT 127.0.0.\(number + 1):9 HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.readResponse().status == 403)
            }
            #expect(try relay.connect().get("http://127.0.0.1:9/").status == 403)
            #expect(try relay.connect().get("\(origin)\(page)").status == 200)
            #expect(await relay.relay.counters().badLogOns == 0)
        }
        #expect(try squid.takeBadLogOns() == 0)
    }

    @Test(
        "Errors and redirects that come before anybody has shown the password to be right hold up nobody",
        arguments: GuardedServer.Kind.squid
    )
    func errors(kind: GuardedServer.Kind) async throws {
        let squid = try await GuardedServer.started(kind)
        let (origin, page) = (try squid.openOrigin, squid.page(1))
        let closed = try ServerPort.take()
        let moving = try await ScriptedServer { _ in
            .send("HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
        }
        defer { moving.stop() }
        for (url, status) in [("http://127.0.0.1:\(closed)/", 503), ("\(moving.origin)/", 301)] {
            try await TestRelay.run(before: squid.address(), squid.handler(), destinations: TestRelay.loopback()) {
                relay in
                for _ in 0..<8 {
                    let response = try relay.connect().get(url)
                    #expect(response.status == status && !response.body.hasPrefix("sallyport"), "\(response.body)")
                }
                #expect(try relay.connect().get("\(origin)\(page)").status == 200)
                #expect(await relay.relay.counters().badLogOns == 0)
            }
        }
        #expect(try squid.takeBadLogOns() == 0)
    }

    @Test(
        "64 clients with a wrong password cost one bad log-on",
        arguments: GuardedServer.Kind.squid
    )
    func wrong(kind: GuardedServer.Kind) async throws {
        let squid = try await GuardedServer.started(kind)
        let origin = try squid.openOrigin
        let page = squid.page(1)
        try await TestRelay.run(
            before: squid.address(),
            squid.handler(password: "Wrong"),
            destinations: TestRelay.loopback()
        ) { relay in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<64 { group.addTask { try relay.connect().get("\(origin)\(page)").status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses == [Int](repeating: 502, count: 64))
            let bad = try squid.takeBadLogOns()
            #expect(bad == 1)
        }
    }
}
