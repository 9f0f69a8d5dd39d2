internal import Benchmark
internal import HTTPAuthentication
internal import SPKIPins
internal import Sallyport

/// One decision of the handler for each kind of challenge, and the parser alone.
let benchmarks: @Sendable () -> Void = {
    // The package's own global; set once, before any benchmark is registered.
    unsafe Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput],
        scalingFactor: .kilo,
        maxDuration: .seconds(1),
        maxIterations: 1_000
    )
    guard let fixture = try? BenchmarkFixture() else {
        preconditionFailure("the shipped recording cannot be read: `sallyport replay` says why")
    }
    decide("basic", fixture, fixture.basic) { $0.isAnswer }
    decide("digest-sha256", fixture, fixture.digest) { $0.isAnswer }
    decide("ntlm-negotiate", fixture, fixture.negotiate) { $0.isAnswer }
    decide("site-denied", fixture, fixture.denied) { !$0.isAnswer }
    parse("basic", fixture.basic)
    parse("digest-sha256", fixture.digest)
    evaluate("pinned-leaf/chain=3", fixture)
    auditKeys()
}

private func decide(
    _ name: String,
    _ fixture: BenchmarkFixture,
    _ challenged: BenchmarkFixture.Challenged,
    isRight: (ChallengeDecision) -> Bool
) {
    let handler = fixture.handler
    var probe = handler.exchange(for: challenged.request)
    precondition(isRight(probe.received(status: 401, fields: challenged.fields)), "\(name) decides wrongly")
    Benchmark("ChallengeExchange.received/\(name)") { benchmark in
        for _ in benchmark.scaledIterations {
            var exchange = handler.exchange(for: challenged.request)
            blackHole(exchange.received(status: 401, fields: challenged.fields))
        }
    }
}

private func parse(_ name: String, _ challenged: BenchmarkFixture.Challenged) {
    precondition(!OfferedChallenges(by: .origin, in: challenged.fields).challenges.isEmpty, "\(name) offers nothing")
    Benchmark("OfferedChallenges.init/\(name)") { benchmark in
        for _ in benchmark.scaledIterations {
            blackHole(OfferedChallenges(by: .origin, in: challenged.fields))
        }
    }
}

private func evaluate(_ name: String, _ fixture: BenchmarkFixture) {
    Benchmark("ChallengeHandler.evaluate/\(name)") { benchmark in
        for _ in benchmark.scaledIterations {
            let chain = try ValidatedChain(assertingValidated: fixture.pinnedChain)
            let trust = ServerTrust(host: fixture.pinnedHost, chain: chain)
            blackHole(fixture.handler.evaluate(trust, now: fixture.now))
        }
    }
}

extension ChallengeDecision {
    fileprivate var isAnswer: Bool {
        if case .answer = self { return true }
        return false
    }
}
