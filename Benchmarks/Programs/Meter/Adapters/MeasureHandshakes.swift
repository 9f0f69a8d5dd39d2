internal import ArgumentParser
internal import HTTPAuthentication
internal import Hostnames
internal import NIOCore
internal import NIOPosix
internal import PeerComparison
internal import Sallyport

/// Many connections that begin an NTLM handshake at once.
struct MeasureHandshakes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "handshakes",
        abstract: "NTLM handshakes of many connections at once.",
        discussion: """
            A handshake is three requests, and the server verifies the proof. Beside it, in turns: connections that send three \
            requests without authentication. Connections are open before the clock starts. Client and server have a thread \
            each. Exit status: 1 below --goal.
            """
    )

    @Option(help: "Connections.")
    var connections = 1_000

    @Option(help: "How often.")
    var rounds = 10

    @Option(help: "Handshakes a second that are expected.")
    var goal = 20_000.0

    func validate() throws {
        guard (1...10_000).contains(connections), rounds > 0 else {
            throw ValidationError("--connections: 1 to 10,000; --rounds: above 0")
        }
    }

    func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let servers = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let asking = try await MeterServer(.ntlm, group: servers)
        let open = try await MeterServer(.open, group: servers)
        let handler = try MeterAccount.handler(Origin(parsing: Requester.name), .ntlm)
        let loop = group.next()
        var handshakes: [Double] = []
        var plain: [Double] = []
        for _ in 0..<rounds {
            handshakes.append(try await rate(asking.origin, handler, requests: 1, on: loop))
            plain.append(try await rate(open.origin, nil, requests: 3, on: loop))
        }
        print("\(connections) connections: \(Self.text(handshakes)) handshakes a second")
        print("three requests without authentication instead: \(Self.text(plain))")
        if Self.median(handshakes) < goal { throw ExitCode(1) }
    }

    /// How many connections a second send so many requests each.
    private func rate(
        _ server: Origin,
        _ handler: CurrentHandler?,
        requests: Int,
        on loop: any EventLoop
    ) async throws -> Double {
        var open: [(channel: any Channel, requester: NIOLoopBound<Requester>)] = []
        for _ in 0..<connections { open.append(try await Requester.connect(server, handler, on: loop)) }
        let requesters = open.map(\.requester)
        let start = Clock.monotonic()
        try await loop.flatSubmit {
            let ended = requesters.map { requester in
                let done = loop.makePromise(of: Void.self)
                requester.value.send(requests, done)
                return done.futureResult
            }
            return EventLoopFuture.andAllSucceed(ended, on: loop)
        }.get()
        let rate = Double(connections) / Double(Clock.monotonic() - start) * 1e9
        for (channel, _) in open { try await channel.close() }
        return rate
    }

    private static func median(_ rates: [Double]) -> Double { rates.sorted()[rates.count / 2] }

    private static func text(_ rates: [Double]) -> String {
        "\(Int(median(rates))) (\(Int(rates.min() ?? 0)) to \(Int(rates.max() ?? 0)))"
    }
}
