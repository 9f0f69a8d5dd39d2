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
            throw ValidationError(
                "the counter is not loaded: preload Benchmarks/Peers/allocations.c, as Benchmarks/gate does"
            )
        }
        for operation in try choice.operations() {
            var measurementFile = MeasurementFile()
            allocations.run([operation.implementation], operations: operation.workload, into: &measurementFile)
            let record = measurementFile.record(HotOperation.ours, operation.name)
            print("allocations\t\(operation.name)\t\(Figure.text(record?.allocations ?? 0))")
        }
    }
}

/// Does each operation's workload once to warm it, and once while callgrind counts, in a process of its own: counts are the
/// same whichever operations are asked for. Nothing else is counted, or making the fixtures would take minutes.
struct CountInstructions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "instructions",
        abstract:
            "Lets callgrind count, with Benchmarks/Programs/callgrind.c preloaded; prints the process that wrote each dump."
    )

    @OptionGroup var choice: Choice

    func run() throws {
        guard let callgrind = Callgrind() else {
            throw ValidationError(
                "the counter is not loaded: preload Benchmarks/Programs/callgrind.c, as Benchmarks/gate does"
            )
        }
        for operation in try choice.operations() {
            guard let process = callgrind.apart({ count(operation, by: callgrind) }) else {
                throw ValidationError("\(operation.name): the process that was to count it did not end well")
            }
            print("\(operation.name)\t\(operation.workload)\t\(process)")
        }
    }

    private func count(_ operation: HotOperation, by callgrind: Callgrind) {
        let (implementation, workload) = (operation.implementation, operation.workload)
        _ = implementation.mean(of: workload) { 0 }
        var readings = 0
        _ = implementation.mean(of: workload) {
            readings += 1
            readings == 1 ? callgrind.start() : callgrind.dump()
            return 0
        }
        precondition(readings == 2, "\(operation.name): \(workload) operations are not done at once")
    }
}
