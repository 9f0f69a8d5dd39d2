internal import ArgumentParser

/// The time of single calls, up to the slowest of ten million.
struct MeasureLatency: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latency",
        abstract: "Records how long single calls take, and compares them with a saved run.",
        subcommands: [MeasureCalls.self, MeasureContention.self],
        defaultSubcommand: MeasureCalls.self
    )
}
