internal import ArgumentParser
internal import Foundation
internal import HotOperations
internal import LatencyCurves
internal import PeerComparison

/// Operations of the engines and decisions of the handler, one call at a time.
struct MeasureCalls: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calls",
        abstract: "Latency of single calls of each engine's operations and each decision (the default).",
        discussion: """
            In the closed loop a call begins when the one before has ended. In the open loop calls arrive at a fixed rate, and latencies \
            count from the scheduled arrival, so they include the time that a call waits for a slow call before it. The time of reading the clock is \
            taken off. Where operations are done in batches, a call is a batch.
            """
    )

    @Option(help: "Only operations whose names contain this; may be given more than once.")
    var filter: [String] = []

    @Option(help: "Only these suites: \(HotOperation.Suite.allCases.map(\.rawValue).joined(separator: ", ")).")
    var suite: [HotOperation.Suite] = []

    @Option(help: "Calls of each operation in each loop, if time allows.")
    var calls = 10_000_000

    @Option(help: "Seconds for each operation in each loop.")
    var seconds = 5.0

    @Option(help: "The open loop's rate, as a share of what the closed loop reached; below 1.")
    var load = 0.5

    @Option(help: "Only this loop: closed or open.")
    var loop: LatencyCurve.Loop?

    @Option(help: "A folder for .hgrm files, run.json and page.html.")
    var out: String?

    @Option(help: "A folder that was written before, which the page compares with.")
    var against: String?

    func validate() throws {
        guard calls > 0 else { throw ValidationError("--calls is \(calls), and must be 1 or more") }
        guard seconds > 0, seconds <= 3600 else {
            throw ValidationError("--seconds is \(seconds): above 0, up to 3600")
        }
        guard load > 0, load < 1 else { throw ValidationError("--load is \(load): above 0 and below 1") }
        guard against == nil || out != nil else { throw ValidationError("--against needs --out, where the page goes") }
    }

    func run() throws {
        let saved = try against.map { (folder: String) throws -> LatencyRun in
            do { return try LatencyRun(folder: URL(filePath: folder)) } catch {
                throw ValidationError("--against \(folder): no run can be read there: \(error.localizedDescription)")
            }
        }
        let all = try HotOperation.all(suite.isEmpty ? Set(HotOperation.Suite.allCases) : Set(suite))
        let chosen = all.filter { operation in filter.isEmpty || filter.contains(where: operation.name.contains) }
        guard !chosen.isEmpty else { throw ValidationError("no operation's name contains \(filter)") }
        let recorder = CallRecorder()
        var run = LatencyRun(about: Machine.about, clockNanoseconds: recorder.cost)
        let measurement = Measurement(
            calls: calls,
            budget: UInt64(seconds * 1e9),
            load: load,
            loops: loop.map { [$0] } ?? Set(LatencyCurve.Loop.allCases)
        )
        for (number, operation) in chosen.enumerated() {
            Machine.say("\(number + 1) of \(chosen.count): \(operation.name)")
            run.entries += try measurement.entries(of: operation.implementation, recorder)
        }
        report(run)
        guard let out else { return }
        try run.write(to: URL(filePath: out))
        let page = URL(filePath: out).appending(path: "page.html")
        try Data(run.page(against: saved).utf8).write(to: page)
        print("\nwritten: \(page.path)")
    }

    private func report(_ run: LatencyRun) {
        print("\(run.about)\n\(run.clockNanoseconds) ns for reading the clock are taken off each call.")
        for loop in LatencyCurve.Loop.allCases {
            guard let table = run.table(loop, wanted: calls) else { continue }
            print("\n\(loop == .closed ? "Closed loop" : "Open loop, from the arrival that was meant").\n\n\(table)")
        }
    }
}

extension HotOperation.Suite: ExpressibleByArgument {}
extension LatencyCurve.Loop: ExpressibleByArgument {}
