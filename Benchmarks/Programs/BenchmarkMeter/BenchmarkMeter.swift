internal import ArgumentParser
internal import Foundation
internal import HotOperations

/// The measuring part of `Benchmarks/gate`, which starts it with a counter of allocations, with valgrind, and alone.
@main
struct BenchmarkMeter: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "BenchmarkMeter",
        abstract: "Measures hot operations and compares them with committed numbers; `Benchmarks/gate` runs it.",
        subcommands: [
            CountAllocations.self, CountInstructions.self, MeasureRatios.self, OpenVotes.self, CheckNumbers.self,
        ]
    )

    /// Exit status 1: an operation failed its gate. 2: the check could not run, for example because a file is damaged.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let code as ExitCode {
            exit(withError: code)
        } catch {
            guard !exitCode(for: error).isSuccess else { exit(withError: error) }
            try? FileHandle.standardError.write(contentsOf: Data("BenchmarkMeter: \(fullMessage(for: error))\n".utf8))
            exit(withError: ExitCode(2))
        }
    }
}

/// Which operations.
struct Choice: ParsableArguments {
    @Option(help: "Only operations whose names contain this; may be given more than once.")
    var filter: [String] = []

    func operations() throws -> [HotOperation] {
        let all = try HotOperation.all().filter { includes($0.name) }
        guard !all.isEmpty else { throw ValidationError("no operation's name contains \(filter)") }
        return all
    }

    func includes(_ name: String) -> Bool { filter.isEmpty || filter.contains(where: name.contains) }
}
