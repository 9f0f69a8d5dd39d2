internal import ArgumentParser
internal import Foundation
internal import PeerComparison

/// Prints everything that one measurement file contains.
struct Tables: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tables",
        abstract: "All tables of one measurement file."
    )

    @Argument(help: "A measurement file of Kerberos, sites or pins.")
    var measurementFile: String

    func run() throws {
        let measurementFile = try MeasurementFile(file: measurementFile)
        let goals = Headline.goals.filter { goal in measurementFile.operations.contains(goal.operation) }
        print(
            ComparisonReport(ours: Headline.ours, measurementFile: measurementFile, goals: goals).text(
                of: measurementFile
            ),
            terminator: ""
        )
    }
}

/// Prints the rows that the guide to performance shows.
struct Short: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "short",
        abstract: "The short table of all measurement files."
    )

    @Argument(help: "Measurement files of any engine.")
    var measurementFiles: [String]

    func run() throws {
        let measurementFiles = try measurementFiles.map { try MeasurementFile(file: $0) }
        let rows = Headline.all.flatMap { headline in
            measurementFiles.map { (title: headline.title, operation: headline.operation, measurementFile: $0) }
        }
        print(ComparisonReport.short(rows, ours: Headline.ours) ?? "nothing was measured beside a peer")
    }
}

extension MeasurementFile {
    fileprivate init(file: String) throws {
        self.init()
        try add(String(contentsOfFile: file, encoding: .utf8))
    }
}
