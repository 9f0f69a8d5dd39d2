internal import ArgumentParser
internal import AsyncHTTPClient
internal import HTTPAuthentication
internal import Hostnames
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import PeerComparison
internal import Sallyport
internal import SallyportAsyncHTTPClient
internal import SallyportNIO

/// Requests on a connection that is authenticated, beside the same requests without Sallyport.
struct MeasureRequests: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requests",
        abstract: "Requests over one kept connection, with and without authentication, in turns.",
        discussion: """
            `extra time` is the middle of the ratios of one round each. Exit status: 1 if an authenticated request takes more than \
            --limit percent more time, or more than --allocations further allocations, than the same request without Sallyport.
            """
    )

    @Option(help: "How often each is measured.")
    var rounds = 15

    @Option(help: "Requests of one measurement.")
    var requests = 4_000

    @Option(help: "Percent of further time that are allowed.")
    var limit = 3.0

    @Option(help: "Further allocations that are allowed.")
    var allocations = 2.0

    @Option(help: "Only the way of this name, or ways whose names contain this, and those that they are compared with.")
    var only: String?

    @Flag(help: "Without those that they are compared with, for a program that counts what this one does.")
    var alone = false

    /// One way to send requests, and the way that it is compared with.
    private struct Way {
        let name: String
        let peer: Int
        /// Sends so many requests.
        let send: (Int) async throws -> Void
    }

    func validate() throws {
        guard rounds > 0, requests > 0 else { throw ValidationError("--rounds and --requests: above 0") }
    }

    func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let serverGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: .forAuthenticator)
        let ways = try await ways(client, group, serverGroup)
        var samples = [[Sample]](repeating: [], count: ways.count)
        // A whole name is the beginning of others.
        let exact = ways.indices.filter { ways[$0].name == only }
        let named = exact.isEmpty ? ways.indices.filter { only.map(ways[$0].name.contains) ?? true } : exact
        guard !named.isEmpty else { throw ValidationError("--only: no way has '\(only ?? "")' in its name") }
        let measured = Set(named + (alone ? [] : named.map { ways[$0].peer })).sorted()
        for index in measured { try await ways[index].send(requests) }
        if alone { return try await client.shutdown() }
        for _ in 0..<rounds {
            for index in measured {
                let way = ways[index]
                samples[index].append(try await Sample.of(requests) { try await way.send(requests) })
            }
        }
        var table = TextTable(["requests", "µs", "processor µs", "allocations", "extra time", "extra processor time"])
        var isWithin = true
        for index in measured {
            let way = ways[index]
            let (own, peer) = (samples[index], samples[way.peer])
            let time = (own.ratio(to: peer, \.nanoseconds) - 1) * 100
            let processor = (own.ratio(to: peer, \.processorNanoseconds) - 1) * 100
            let extra = own.median(\.allocations) - peer.median(\.allocations)
            if time > limit || extra > allocations + 0.05 { isWithin = false }
            table.add([
                way.name, Self.text(own.median(\.nanoseconds) / 1_000),
                Self.text(own.median(\.processorNanoseconds) / 1_000), Self.text(own.median(\.allocations)),
                index == way.peer ? "" : Self.text(time) + " %", index == way.peer ? "" : Self.text(processor) + " %",
            ])
        }
        print(table.text ?? "")
        try await client.shutdown()
        if !isWithin { throw ExitCode(1) }
    }

    private func ways(
        _ client: HTTPClient,
        _ group: MultiThreadedEventLoopGroup,
        _ serverGroup: MultiThreadedEventLoopGroup
    ) async throws -> [Way] {
        let open = try await MeterServer(.open, group: serverGroup)
        let basic = try await MeterServer(.basic, group: serverGroup)
        let ntlm = try await MeterServer(.ntlm, group: serverGroup)
        var ways: [Way] = []
        func add(_ name: String, peer: Int?, _ send: @escaping (Int) async throws -> Void) {
            ways.append(Way(name: name, peer: peer ?? ways.count, send: send))
        }
        for (name, server, scheme) in [
            ("NIO", open, nil), ("NIO, a handler that looks", open, nil), ("NIO, NTLM connection", ntlm, .ntlm),
            ("NIO, Basic in advance", basic, .basic),
        ] as [(String, MeterServer, AuthenticationScheme?)] {
            let looks = name == "NIO, a handler that looks"
            let handler = try scheme.map { try MeterAccount.handler(Origin(parsing: Requester.name), $0) }
            let loop = group.next()
            let (_, requester) = try await Requester.connect(server.origin, handler, looks: looks, on: loop)
            add(name, peer: 0) { count in
                let done = loop.makePromise(of: Void.self)
                loop.execute { requester.value.send(count, done) }
                try await done.futureResult.get()
            }
        }
        let url = "\(open.origin)/page"
        add("AsyncHTTPClient", peer: nil) { count in
            for _ in 0..<count {
                let response = try await client.execute(HTTPClientRequest(url: url), deadline: .distantFuture)
                _ = try await response.body.collect(upTo: 100)
            }
        }
        let peer = ways.count - 1
        for (name, server, scheme) in [
            ("AsyncHTTPClient, Basic in advance", basic, .basic), ("AsyncHTTPClient, NTLM connection", ntlm, .ntlm),
        ] as [(String, MeterServer, AuthenticationScheme)] {
            let handler = try MeterAccount.handler(server.origin, scheme)
            let authenticator = HTTPClientAuthenticator(handler, group: group)
            let url = "\(server.origin)/page"
            add(name, peer: peer) { count in
                for _ in 0..<count {
                    let response = try await client.execute(
                        HTTPClientRequest(url: url),
                        authenticator: authenticator,
                        deadline: .distantFuture
                    )
                    guard response.status == .ok else { throw MeterError(what: "status \(response.status.code)") }
                    _ = try await response.body.collect(upTo: 100)
                }
            }
        }
        return ways
    }

    private static func text(_ value: Double) -> String { String(format(value)) }

    /// With two decimals.
    private static func format(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
