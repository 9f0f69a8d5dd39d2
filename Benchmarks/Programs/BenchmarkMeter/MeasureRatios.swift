internal import ArgumentParser
internal import HotOperations
internal import PeerComparison
internal import RegressionGate

/// Prints each operation's time in units of its yardstick: one run, of which a vote needs several.
struct MeasureRatios: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ratios",
        abstract: "Measures operations in turns with their yardsticks."
    )

    @OptionGroup var choice: Choice

    func run() throws {
        let operations = try choice.operations()
        let ratios = RatioMeter().ratios(
            operations.map { ($0.implementation, $0.yardstick.implementation()) },
            probe: Yardstick.wide.implementation()
        )
        for (operation, ratio) in zip(operations, ratios) {
            print("ratio\t\(operation.name)\t\(operation.yardstick.name)\t\(ratio)")
        }
    }
}

/// Prints the names of operations on which the runs do not agree yet.
struct OpenVotes: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Names the operations whose ratios have to be measured once more."
    )

    @OptionGroup var place: NumbersPlace

    @Argument(help: "What was measured so far.")
    var measurements: String

    func run() throws {
        for (operation, measured) in try place.folder.measurements(at: measurements) {
            let committed = try place.folder.numbers(of: operation).ratios[place.machine]
            if let committed, committed.isGated, RatioVote(measured.ratios, committed) == .isOpen { print(operation) }
        }
    }
}
