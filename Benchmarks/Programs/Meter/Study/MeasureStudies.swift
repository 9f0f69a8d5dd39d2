internal import ArgumentParser
internal import BenchmarkSupport
internal import Foundation

/// Time and memory of a study, by the size of its recording: `swift run -c release Meter study`. It starts the program anew for
/// each recording, to measure the peak of memory.
struct MeasureStudies: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "study",
        abstract: "Measures studies of generated recordings: time by phase and certificate, and the peak of memory.",
        subcommands: [Curve.self, Measure.self, Parts.self, Part.self, Merge.self],
        defaultSubcommand: Curve.self
    )
}

/// Makes recordings and measures each in a process of its own, so that a peak of memory is that recording's alone.
struct Curve: ParsableCommand {
    @Option(help: "Leaves of a recording; may be repeated.")
    var leaves: [Int] = [1000, 10_000, 20_000, 100_000]

    @Option(help: "Leaves of each host, instead of what certificates of 47 to 398 days come to.")
    var perHost: Int?

    @Option(help: "What the recordings are made from.")
    var seed: UInt64 = 1

    @Option(help: "How often each phase is measured; the best counts.")
    var rounds = 5

    @Option(help: "Keep the recordings in this folder, to measure them again.")
    var keep: String?

    func run() throws {
        print(StudyCost.header)
        for count in leaves {
            let parent = keep.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
            let folder = parent.appending(path: "corpus-\(count)-\(UUID())")
            defer { if keep == nil { try? FileManager.default.removeItem(at: folder) } }
            let size = try ChainCorpus.write(leaves: count, perHost: perHost, seed: seed, to: folder)
            let process = Process()
            process.executableURL = URL(filePath: CommandLine.arguments[0])
            process.arguments = [
                "study", "measure", folder.path, "--rounds", "\(rounds)", "--der-bytes", "\(size.derBytes)",
            ]
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw ExitCode(process.terminationStatus) }
        }
    }
}

/// Measures one recording.
struct Measure: ParsableCommand {
    @Argument(help: "The recording's folder; the one that ships when absent.")
    var folder: String?

    @Option(help: "How often each phase is measured; the best counts.")
    var rounds = 5

    @Option(name: .customLong("der-bytes"), help: "Bytes of all certificates, to compare the peak of memory with.")
    var derBytes = 0

    func run() throws {
        print(try StudyCost(of: folder.map { URL(filePath: $0) }, rounds: rounds).line(derBytes: derBytes))
    }
}
