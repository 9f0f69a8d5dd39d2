internal import ArgumentParser
internal import BenchmarkSupport
internal import Corpora
internal import Foundation
internal import PinningStudy

/// Time and memory of a study in parts, and of merging them: each part and the merging in a process of its own.
struct Parts: ParsableCommand {
    @Option(help: "Leaves of a recording; may be repeated.")
    var leaves: [Int] = [10_000, 20_000, 100_000]

    @Option(help: "Into how many parts.")
    var parts = 4

    @Option(help: "What the recordings are made from.")
    var seed: UInt64 = 1

    func run() throws {
        print("certificates  parts  DER MB  part: ms  peak MB  file MB  merging: ms  peak MB")
        for count in leaves {
            let folder = FileManager.default.temporaryDirectory.appending(path: "corpus-\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            let size = try ChainCorpus.write(leaves: count, seed: seed, to: folder)
            let files = (1...parts).map { folder.appending(path: "\($0).json").path }
            let first = try Self.measure(["part", folder.path, "\(parts)", "1", files[0]])
            for part in 2..<parts + 1 {
                _ = try Self.measure(["part", folder.path, "\(parts)", "\(part)", files[part - 1]])
            }
            let merging = try Self.measure(["merge"] + files)
            let bytes = try FileManager.default.attributesOfItem(atPath: files[0])[.size] as? Int ?? 0
            print(
                String(
                    format: "%12d  %5d  %6.1f  %8.1f  %7.1f  %7.1f  %11.1f  %7.1f",
                    size.certificates,
                    parts,
                    Double(size.derBytes) / 1e6,
                    first.milliseconds,
                    first.peak,
                    Double(bytes) / 1e6,
                    merging.milliseconds,
                    merging.peak
                )
            )
        }
    }

    /// Time and memory that a process reported.
    private static func measure(_ arguments: [String]) throws -> (milliseconds: Double, peak: Double) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["study"] + arguments
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let numbers = text.split(separator: " ").compactMap { Double($0.trimmingCharacters(in: .newlines)) }
        guard process.terminationStatus == 0, numbers.count == 2 else { throw ExitCode(1) }
        return (numbers[0], numbers[1])
    }
}

/// One part, as `sallyport study --part --partial` makes it.
struct Part: ParsableCommand {
    @Argument var folder: String
    @Argument var parts: Int
    @Argument var number: Int
    @Argument var file: String

    func run() throws {
        let history = ChainHistory(try ChainRecording(folder: URL(filePath: folder)))
        let study = Study(history, parameters: StudyParameters(), part: (number, parts))
        try study.partial.write(to: URL(filePath: file))
        StudyCost.printWholeProcess()
    }
}

/// The report of all parts, as `sallyport study merge` makes it.
struct Merge: ParsableCommand {
    @Argument var files: [String]

    func run() throws {
        let parts = try files.map { try Study(partial: Data(contentsOf: URL(filePath: $0))) }
        let report = StudyReport(try Study(merging: parts))
        precondition(report.strategies.count == PinningStrategy.builtIn.count, "a strategy is missing")
        StudyCost.printWholeProcess()
    }
}
