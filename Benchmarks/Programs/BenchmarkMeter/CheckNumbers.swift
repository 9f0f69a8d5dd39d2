internal import ArgumentParser
internal import Foundation
internal import HotOperations
internal import RegressionGate

/// Compares measurements with committed numbers, or commits them.
struct CheckNumbers: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Compares a file of measurements with committed numbers.",
        discussion: """
            Exit status: 0 as committed, 1 something changed, 2 could not run, 3 nothing is committed for this machine \
            or compiler.
            """
    )

    @Argument(help: "What was measured.")
    var measurements: String

    @OptionGroup var place: NumbersPlace

    @Option(help: "What was measured: ratio, instructions, allocations, retains.")
    var gate: GateResult.Gate

    @Flag(help: "Writes the numbers instead of comparing them.")
    var update = false

    @OptionGroup var choice: Choice

    func run() throws {
        let folder = place.folder
        let measured = Dictionary(
            uniqueKeysWithValues: try folder.measurements(at: measurements).map { ($0.operation, $0.measured) }
        )
        let names = try choice.operations().map(\.name)
        if update { return try write(names, measured, folder) }
        let comparable = GateResult.comparable(try folder.all(), machine: place.machine)
        var (failures, incomparable, tooVariable) = (0, 0, 0)
        var remarks: [String] = []
        for name in names {
            let (committed, found) = (try folder.numbers(of: name), measured[name] ?? Measured())
            let results = GateResult.all(
                found,
                committed,
                machine: place.machine,
                gates: [gate],
                comparable: comparable
            )
            if gate == .ratio, committed.ratios[place.machine]?.isGated == false { tooVariable += 1 }
            for result in results where !result.isFailure { remarks.append("\(name): \(result)") }
            if results.contains(.notComparable(gate)) { incomparable += 1 }
            let bad = results.filter(\.isFailure)
            guard !bad.isEmpty else { continue }
            failures += 1
            print("FAILED \(name)")
            for result in bad { print("  \(result)") }
            printDifference(committed, found.updating(committed, machine: place.machine), folder.file(of: name))
        }
        for remark in remarks { print("NOTE \(remark)") }
        let orphans = choice.filter.isEmpty ? folder.orphans(besides: names) : []
        for orphan in orphans { print("FAILED \(folder.path)/\(orphan): no operation has this name; remove the file") }
        let compared = names.count - incomparable
        print(
            "\(gate.rawValue): \(compared) of \(names.count) operations compared"
                + (tooVariable > 0 ? " (\(tooVariable) of them too variable for the ratio gate)" : "")
                + ", \(failures) outside"
        )
        guard failures + orphans.count == 0 else {
            let filters = choice.filter.map { " --filter '\($0)'" }.joined()
            print("If that is meant: Benchmarks/gate --update --gate \(gate.rawValue)\(filters)")
            print("and commit the difference with the reason.")
            throw ExitCode(1)
        }
        if incomparable > 0 {
            print("Nothing is committed for \(place.machine) in \(folder.path): Benchmarks/gate --update measures it.")
            throw ExitCode(3)
        }
    }

    private func write(_ names: [String], _ measured: [String: Measured], _ folder: NumbersFolder) throws {
        for name in names {
            guard let found = measured[name] else { continue }
            let committed = try folder.numbers(of: name)
            let numbers = found.updating(committed, machine: place.machine)
            if numbers != committed { try folder.write(numbers, of: name) }
            if gate == .ratio, let ratio = numbers.ratios[place.machine], !ratio.isGated {
                print("NOTE \(name): varies by \(Figure.text(ratio.tolerance)): too variable for the ratio gate")
            }
        }
        for orphan in choice.filter.isEmpty ? folder.orphans(besides: names) : [] {
            try FileManager.default.removeItem(atPath: folder.path + "/" + orphan)
        }
        print("written: \(folder.path)")
    }

    private func printDifference(_ old: CommittedNumbers, _ new: CommittedNumbers, _ file: String) {
        let (before, after) = (old.lines, new.lines)
        print("  --- \(file)\n  +++ \(file)")
        for line in before where !after.contains(line) { print("  -\(line)") }
        for line in after where !before.contains(line) { print("  +\(line)") }
    }
}

extension GateResult.Gate: ExpressibleByArgument {}
