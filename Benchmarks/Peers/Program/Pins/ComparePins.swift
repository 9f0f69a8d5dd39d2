internal import ArgumentParser
internal import Foundation
internal import PeerComparison

/// Pins, and Swift's `Set` beside them: prints the lines of a measurement file that `Benchmarks/Peers/Pins/compare` puts
/// beside the lines of the peers.
struct ComparePins: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins",
        abstract: "Measures certificates, decisions and sets of pins."
    )

    @Argument(help: "Certificates, each after its length in four bytes.")
    var corpus: String

    @Flag(help: "A few seconds: fewer rounds, the smallest sizes.")
    var quick = false

    func run() throws {
        let corpus = CertificateCorpus(file: ItemFile([UInt8](try Data(contentsOf: URL(filePath: corpus)))))
        let measuring = Measuring(writer: MeasurementFileWriter(isQuick: quick))
        measuring.certificates(corpus)
        try measuring.decisions(corpus)
        for count in quick ? [1000] : [1000, 100_000] { try measuring.hosts(among: count, corpus) }
        for count in quick ? [1000] : [1000, 100_000, 1_000_000] { try measuring.pins(among: count) }
    }
}
