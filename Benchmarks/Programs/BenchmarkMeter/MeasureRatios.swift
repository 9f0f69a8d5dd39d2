internal import ArgumentParser
internal import HotOperations
internal import PeerComparison
internal import RegressionGate

/// Prints each operation's time in units of its yardstick, and measures again what is not as committed.
struct MeasureRatios: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ratios",
        abstract: "Measures operations in turns with their yardsticks."
    )

    @OptionGroup var choice: Choice

    @Option(help: "The folder of committed numbers; what differs from them is measured again.")
    var numbers: String?

    @Option(help: "The machine that ratios are committed for.")
    var machine = "unknown"

    @Option(help: "Rounds of a median; 15 or more.")
    var rounds = 15

    @Option(help: "How often a ratio outside its tolerance is measured again, each time with more rounds.")
    var again = 4

    func validate() throws {
        guard rounds >= 15 else { throw ValidationError("\(rounds) rounds say little: 15 or more") }
    }

    func run() throws {
        let operations = try choice.operations()
        var doubtful = try operations.filter { try !isAsCommitted($0, rounds: rounds) }
        // What is measured later meets another moment of the machine.
        for attempt in 0..<(numbers == nil ? 0 : again) {
            doubtful = try doubtful.filter { try !isAsCommitted($0, rounds: rounds * (attempt + 2)) }
        }
    }

    /// Measures and prints.
    private func isAsCommitted(_ operation: HotOperation, rounds: Int) throws -> Bool {
        let meter = RatioMeter(rounds: rounds, sampleNanoseconds: 1_000_000)
        let ratio = meter.ratio(of: operation.contestant, per: operation.yardstick.contestant())
        print("ratio\t\(operation.name)\t\(operation.yardstick.name)\t\(ratio)")
        guard let numbers else { return true }
        let committed = try NumbersFolder(path: numbers).numbers(of: operation.name)
        return committed.ratios[machine].map { Finding.isWithin(ratio, $0) } ?? true
    }
}
