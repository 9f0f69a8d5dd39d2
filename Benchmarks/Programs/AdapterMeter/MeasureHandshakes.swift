internal import ArgumentParser
internal import HTTPAuthentication
internal import Hostnames
internal import NIOCore
internal import NIOPosix
internal import PeerComparison

/// Many connections that begin an NTLM handshake at once.
struct MeasureHandshakes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "handshakes",
        abstract: "NTLM handshakes of many connections at once.",
        discussion: """
            A handshake is three requests, and the server verifies the proof. Connections are open before the clock starts. \
            Client and server have a thread each. Exit status: 1 below --goal.
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
        let server = try await MeterServer(.ntlm, group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
        let handler = try MeterAccount.handler(Origin(parsing: Requester.name), .ntlm)
        let loop = group.next()
        var rates: [Double] = []
        for _ in 0..<rounds {
            var open: [(channel: any Channel, requester: NIOLoopBound<Requester>)] = []
            for _ in 0..<connections { open.append(try await Requester.connect(server.origin, handler, on: loop)) }
            let requesters = open.map(\.requester)
            let start = Clock.monotonic()
            try await loop.flatSubmit {
                let ended = requesters.map { requester in
                    let done = loop.makePromise(of: Void.self)
                    requester.value.send(1, done)
                    return done.futureResult
                }
                return EventLoopFuture.andAllSucceed(ended, on: loop)
            }.get()
            rates.append(Double(connections) / Double(Clock.monotonic() - start) * 1e9)
            for (channel, _) in open { try await channel.close() }
        }
        let sorted = rates.sorted()
        let median = sorted[rounds / 2]
        print(
            "\(connections) connections: \(Int(median)) handshakes a second (\(Int(sorted[0])) to \(Int(sorted[rounds - 1])))"
        )
        if median < goal { throw ExitCode(1) }
    }
}
