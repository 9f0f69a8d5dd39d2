internal import ArgumentParser
internal import BenchmarkSupport
internal import Foundation
internal import InsecureDigests
internal import PeerComparison

/// NTLM beside OpenSSL: `Benchmarks/Peers/NTLM/compare` runs it in turns with the peers that are programs of their own.
struct CompareNTLM: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ntlm",
        abstract: "Measures our NTLM in turns with OpenSSL's low-level functions.",
        discussion: "Without --measure, everything is measured. Absent peers are named as absent."
    )

    enum Measure: String, CaseIterable, ExpressibleByArgument {
        case times, allocations
    }

    @Option(help: ArgumentHelp("What to measure; may be given more than once.", valueName: "times|allocations"))
    var measure: [Measure] = []

    @Option(help: "Rounds in which implementations take turns; 7 or more.")
    var rounds = 15

    @Option(
        help: ArgumentHelp(
            "Measures batches with these instructions as well; may be given more than once.",
            valueName: "portable|vector128|avx2|avx512"
        )
    )
    var kernel: [LaneKernel] = []

    @Option(help: "Measures only operations whose names, as in the file of --append, start like this.")
    var operation = ""

    @Flag(help: "A few seconds: shorter samples, fewer rounds.")
    var quick = false

    @Flag(help: "Prints the log-in that all are measured with, as lines of NAME=VALUE, and measures nothing.")
    var inputs = false

    @Option(help: "Adds what is measured to this file, in the form that peers write, and prints no tables.")
    var append: String?

    @Option(help: "Prints the tables of such a file, and measures nothing.")
    var tables: String?

    func validate() throws {
        guard rounds >= 7 else { throw ValidationError("\(rounds) rounds say little: 7 or more") }
        for kernel in kernel where !kernel.runsHere {
            throw ValidationError("this machine cannot run \(kernel): name another, or none")
        }
    }

    func run() throws {
        if let tables {
            var measurementFile = MeasurementFile()
            try measurementFile.add(String(contentsOfFile: tables, encoding: .utf8))
            return print(Self.report.text(of: measurementFile), terminator: "")
        }
        let fixture = try NTLMFixture()
        if inputs { return print(fixture.inputs) }
        let measurementFile = try measured(fixture)
        guard let append else { return print(Self.report.text(of: measurementFile), terminator: "") }
        try Self.add(measurementFile.lines, to: append)
    }

    private static let report = ComparisonReport(
        ours: Operation.ours,
        operations: Operation.titles,
        goals: Operation.goals(widest: .best),
        yardstick: (Operation.openSSL, Operation.hash)
    )

    private func measured(_ fixture: NTLMFixture) throws -> MeasurementFile {
        let chosen = measure.isEmpty ? Measure.allCases : measure
        let ours = try OurImplementations(fixture)
        var measurementFile = MeasurementFile()
        measurementFile.note(about: Operation.ours, remark(fixture, ours))
        if chosen.contains(.times) {
            var implementations = ours.all
            if let library = OpenSSL() {
                measurementFile.note(about: "OpenSSL", library.version)
                implementations += OpenSSLImplementations(library).all
            } else {
                measurementFile.note(absent: "OpenSSL", "libcrypto 3 cannot be loaded")
            }
            for kernel in kernel { implementations += ours.all(kernel) }
            let rounds = Rounds(count: quick ? 7 : rounds, sampleNanoseconds: quick ? 500_000 : 4_000_000)
            rounds.run(implementations.filter(isWanted), into: &measurementFile)
        }
        if chosen.contains(.allocations) {
            if let allocations = Allocations() {
                allocations.run(ours.all.filter(isWanted), operations: 64, into: &measurementFile)
            } else {
                measurementFile.note(
                    about: "allocations",
                    "counted only when `Benchmarks/Peers/compare` preloads the counter"
                )
            }
        }
        return measurementFile
    }

    private func isWanted(_ implementation: MeasuredImplementation) -> Bool {
        implementation.operation.hasPrefix(operation)
    }

    private func remark(_ fixture: NTLMFixture, _ ours: OurImplementations) -> String {
        let bytes = ours.guessedBytes
        return
            "widest kernel \(LaneKernel.best); messages of \(fixture.negotiate.count), \(fixture.challenge.count) and "
            + "\(fixture.authenticate.count) bytes, with channel binding, service name, integrity code and key exchange; "
            + "AUTHENTICATE in base64, on a handshake whose start is measured by itself; \(bytes.hashcat) bytes under the "
            + "proof in hashcat's response, \(bytes.logIn) in that of the log-in"
    }

    private static func add(_ lines: [String], to path: String) throws {
        let old = FileManager.default.contents(atPath: path) ?? Data()
        try (old + Data((lines.joined(separator: "\n") + "\n").utf8)).write(to: URL(fileURLWithPath: path))
    }
}

extension LaneKernel: ExpressibleByArgument {
    /// Takes the name of a kernel.
    public init?(argument: String) {
        guard let kernel = Self.allCases.first(where: { "\($0)" == argument }) else { return nil }
        self = kernel
    }
}
