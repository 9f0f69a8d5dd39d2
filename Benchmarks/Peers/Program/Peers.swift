internal import ArgumentParser

/// Our side of the comparisons with peers, and their tables: `Benchmarks/Peers/compare` starts it.
@main
struct Peers: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Peers",
        abstract: "Measures our engines beside their peers, and prints the tables.",
        subcommands: [
            CompareNTLM.self, CompareNegotiate.self, CompareKerberos.self, ComparePins.self, CompareSites.self,
            Tables.self, Short.self,
        ]
    )
}
