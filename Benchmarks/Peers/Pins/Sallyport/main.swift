// Our side of the comparison, and Swift's `Set` beside it: prints the lines of a ledger that `compare` puts beside the peers'.
internal import Foundation

let corpus = CertificateCorpus(file: [UInt8](try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))))
let measuring = Measuring(isQuick: CommandLine.arguments.contains("--quick"))
measuring.certificates(corpus)
try measuring.decisions(corpus)
for count in measuring.isQuick ? [1000] : [1000, 100_000] { try measuring.hosts(among: count, corpus) }
for count in measuring.isQuick ? [1000] : [1000, 100_000, 1_000_000] { try measuring.pins(among: count) }
