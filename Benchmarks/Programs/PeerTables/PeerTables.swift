internal import ArgumentParser
internal import Foundation
internal import PeerComparison

/// The tables of `Benchmarks/Peers/compare`, made of the ledgers that its engines' comparisons have written.
@main
struct PeerTables: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "PeerTables",
        abstract: "Prints the tables of ledgers; `Benchmarks/Peers/compare` runs it.",
        subcommands: [Tables.self, Short.self]
    )
}

/// Everything that stands in one ledger.
struct Tables: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "tables", abstract: "All tables of one ledger.")

    @Argument(help: "A ledger of sites or pins.")
    var ledger: String

    func run() throws {
        let ledger = try Ledger(file: ledger)
        let goals = Headline.goals.filter { goal in ledger.operations.contains(goal.operation) }
        print(ComparisonReport(ours: Headline.ours, ledger: ledger, goals: goals).text(of: ledger), terminator: "")
    }
}

/// The few rows that README shows.
struct Short: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "short", abstract: "The headlines of all ledgers.")

    @Argument(help: "Ledgers of any engine.")
    var ledgers: [String]

    func run() throws {
        let ledgers = try ledgers.map { try Ledger(file: $0) }
        let rows = Headline.all.flatMap { headline in
            ledgers.map { (title: headline.title, operation: headline.operation, ledger: $0) }
        }
        print(ComparisonReport.short(rows, ours: Headline.ours) ?? "nothing was measured beside a peer")
    }
}

extension Ledger {
    fileprivate init(file: String) throws {
        self.init()
        try add(String(contentsOfFile: file, encoding: .utf8))
    }
}
