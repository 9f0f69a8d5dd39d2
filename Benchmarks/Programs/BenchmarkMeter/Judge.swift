internal import ArgumentParser
internal import Foundation
internal import HotOperations
internal import RegressionGate

/// Compares measurements with committed numbers, or commits them.
struct Judge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge",
        abstract: "Compares a file of measurements with committed numbers.",
        discussion: "Exit status: 0 as committed, 1 something changed, 2 could not run."
    )

    @Argument(help: "What was measured.")
    var measurements: String

    @Option(help: "The folder of committed numbers.")
    var numbers: String

    @Option(help: "The machine that ratios are committed for.")
    var machine: String

    @Option(help: "What was measured: ratio, instructions, allocations.")
    var gate: [Finding.Gate]

    @Flag(help: "Writes the numbers instead of comparing them.")
    var update = false

    @OptionGroup var choice: Choice

    func run() throws {
        let text = try String(contentsOfFile: measurements, encoding: .utf8)
        let measured = Dictionary(uniqueKeysWithValues: try Measured.read(text).map { ($0.operation, $0.measured) })
        let names = try choice.operations().map(\.name)
        let folder = NumbersFolder(path: numbers)
        if update { return try write(names, measured, folder) }
        var failures = 0
        var remarks: [String] = []
        for name in names {
            let (committed, found) = (try folder.numbers(of: name), measured[name] ?? Measured())
            let findings = Finding.all(found, committed, machine: machine, gates: Set(gate))
            for finding in findings where !finding.isFailure { remarks.append("\(name): \(finding)") }
            let bad = findings.filter(\.isFailure)
            guard !bad.isEmpty else { continue }
            failures += 1
            print("FAILED \(name)")
            for finding in bad { print("  \(finding)") }
            printDifference(committed, found.updating(committed, machine: machine), folder.file(of: name))
        }
        for remark in remarks { print("NOTE \(remark)") }
        let orphans = choice.filter.isEmpty ? folder.orphans(besides: names) : []
        for orphan in orphans { print("FAILED \(folder.path)/\(orphan): no operation has this name; remove the file") }
        print("\(gate.map(\.rawValue).joined(separator: ", ")): \(names.count) operations, \(failures) outside")
        guard failures + orphans.count == 0 else {
            print("If that is meant: Benchmarks/gate --update, and commit the difference with the reason.")
            throw ExitCode(1)
        }
    }

    private func write(_ names: [String], _ measured: [String: Measured], _ folder: NumbersFolder) throws {
        for name in names {
            guard let found = measured[name] else { continue }
            let committed = try folder.numbers(of: name)
            let numbers = found.updating(committed, machine: machine)
            if numbers != committed { try folder.write(numbers, of: name) }
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

extension Finding.Gate: ExpressibleByArgument {}
