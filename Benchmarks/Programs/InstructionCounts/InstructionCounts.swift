internal import ArgumentParser
internal import HotOperations
internal import PeerComparison

/// Runs each hot operation's workload under callgrind; `Benchmarks/instructions` starts it.
///
/// The workload runs once to fill caches, and once while callgrind counts, in a process of its own, so that the count of
/// one operation does not depend on the others. Fixtures are made without counting, which would take minutes.
@main
struct InstructionCounts: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "InstructionCounts",
        abstract: "Lets callgrind count; prints each operation, its repetitions, and the process that wrote its dump."
    )

    @Option(help: "Only operations whose names contain this, with `_` for `/`; may be given more than once.")
    var filter: [String] = []

    func run() throws {
        guard let callgrind = Callgrind() else {
            throw ValidationError(
                "the counter is not loaded: preload Benchmarks/Programs/callgrind.c, as Benchmarks/instructions does"
            )
        }
        let operations = try HotOperation.all()
            .filter { operation in filter.isEmpty || filter.contains(where: operation.label.contains) }
        guard !operations.isEmpty else { throw ValidationError("no operation's name contains \(filter)") }
        for operation in operations {
            guard let process = callgrind.apart({ count(operation, by: callgrind) }) else {
                throw ValidationError("\(operation.name): its process failed; run this operation alone to see why")
            }
            print("\(operation.label)\t\(operation.workload)\t\(process)")
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
