internal import ArgumentParser
internal import HotOperations
internal import PeerComparison
internal import RegressionGate

/// Prints how often each operation takes memory, on average.
struct CountAllocations: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allocations",
        abstract: "Counts allocations, with Benchmarks/Peers/allocations.c preloaded."
    )

    @OptionGroup var choice: Choice

    func run() throws {
        guard let allocations = Allocations() else {
            throw ValidationError("nobody counts: preload Benchmarks/Peers/allocations.c, as Benchmarks/gate does")
        }
        for operation in try choice.operations() {
            var ledger = Ledger()
            allocations.run([operation.contestant], operations: operation.workload, into: &ledger)
            let record = ledger.record(HotOperation.ours, operation.name)
            print("allocations\t\(operation.name)\t\(Figure.text(record?.allocations ?? 0))")
        }
    }
}

/// Does each operation once to warm it and once between two calls of ``sallyportMark()``, where callgrind dumps its counts.
struct MarkInstructions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "instructions",
        abstract: "Marks where callgrind is to count; prints names and how many operations each dump holds."
    )

    @OptionGroup var choice: Choice

    func run() throws {
        for operation in try choice.operations() {
            _ = operation.contestant.mean(of: operation.workload) { 0 }
            var marks = 0
            _ = operation.contestant.mean(of: operation.workload) {
                sallyportMark()
                marks += 1
                return 0
            }
            precondition(marks == 2, "\(operation.name): \(operation.workload) operations are not done at once")
            print("\(operation.name)\t\(operation.workload)")
        }
    }
}

/// `valgrind --dump-before` knows this function by its name.
@inline(never)
@_optimize(none)
func sallyportMark() {}
