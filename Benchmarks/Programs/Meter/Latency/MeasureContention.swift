internal import ArgumentParser
internal import Histogram
internal import HotOperations
internal import LatencyCurves
internal import PeerComparison

/// Decisions a second, and their latencies, on some threads while the profile is loaded again and again.
struct MeasureContention: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contention",
        abstract: "Decisions on 1 and 2 threads, with and without a reload of the profile every 10 ms.",
        discussion: """
            Four kinds of recorded decisions in turns: Digest, a site that is not allowed, NTLM NEGOTIATE, and pins. With \
            --work one-account requests of one account that are answered in advance with Basic. A reload makes a new \
            handler of the whole profile and puts it in the place of the one in use. A thread decides again as soon as it \
            has decided, so a latency is the time of one decision. Exit status: 1 where one is wrong, or where reloads more \
            than double the p99.
            """
    )

    @Option(help: "What threads decide: \(RecordedDecisions.Work.allCases.map(\.rawValue).joined(separator: " or ")).")
    var work = RecordedDecisions.Work.mixed

    @Option(help: "Threads; may be given more than once.")
    var threads: [Int] = [1, 2]

    @Option(help: "Seconds of each measurement.")
    var seconds = 5.0

    @Option(help: "Milliseconds between reloads.")
    var reload = 10.0

    @Option(help: "How often each is measured, with and without reloads in turns; the medians of p99 are compared.")
    var rounds = 3

    /// By how much reloads may move the p99.
    private static let allowedFactor = 2.0

    func validate() throws {
        guard threads.allSatisfy({ (1...64).contains($0) }) else { throw ValidationError("--threads: 1 to 64") }
        guard seconds > 0, reload > 0, rounds > 0 else {
            throw ValidationError("--seconds, --reload and --rounds: above 0")
        }
    }

    func run() throws {
        let contention = try Contention()
        var table = TextTable([
            "threads", "reloads", "decisions a second", "wrong", "p50", "p99", "p99.9", "max", "p99 to calm",
        ])
        var isWithin = true
        for threads in threads {
            var rounds: [(calm: Contention.Outcome, reloading: Contention.Outcome)] = []
            for round in 0..<self.rounds {
                Machine.say("\(threads) threads, round \(round + 1) of \(self.rounds)")
                rounds.append(
                    (
                        try contention.run(work, threads: threads, seconds: seconds, reloadEvery: nil),
                        try contention.run(work, threads: threads, seconds: seconds, reloadEvery: reload)
                    )
                )
            }
            let calm = median(rounds.map(\.calm))
            let reloading = median(rounds.map(\.reloading))
            table.add(row(calm, ""))
            let factor = Double(p99(reloading)) / Double(max(1, p99(calm)))
            table.add(row(reloading, "\((factor * 100).rounded() / 100) ×"))
            let isRight = rounds.allSatisfy { $0.calm.wrong == 0 && $0.reloading.wrong == 0 }
            isWithin = isWithin && isRight && factor <= Self.allowedFactor
        }
        print("\(Machine.about)\n\n\(table.text ?? "")")
        guard isWithin else { throw ExitCode(1) }
    }

    private func p99(_ outcome: Contention.Outcome) -> UInt64 { outcome.latencies.valueAtPercentile(99) }

    private func median(_ outcomes: [Contention.Outcome]) -> Contention.Outcome {
        outcomes.sorted { p99($0) < p99($1) }[outcomes.count / 2]
    }

    private func row(_ outcome: Contention.Outcome, _ factor: String) -> [String] {
        let latencies = [50, 99, 99.9, 100].map { LatencyRun.text(Double(outcome.latencies.valueAtPercentile($0))) }
        return ["\(outcome.threads)", "\(outcome.reloads)", "\(Int(outcome.decisionsPerSecond))", "\(outcome.wrong)"]
            + latencies + [factor]
    }
}

extension RecordedDecisions.Work: ExpressibleByArgument {}
