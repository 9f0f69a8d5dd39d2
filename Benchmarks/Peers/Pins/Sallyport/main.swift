// Our side of the comparison, and Swift's `Set` beside it: prints the lines of a measurement file that `compare` puts beside the peers'.
internal import Foundation
internal import PeerComparison

let file = ItemFile([UInt8](try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))))
let corpus = CertificateCorpus(file: file)
let measuring = Measuring()
measuring.certificates(corpus)
try measuring.decisions(corpus)
let isQuick = measuring.writer.isQuick
for count in isQuick ? [1000] : [1000, 100_000] { try measuring.hosts(among: count, corpus) }
for count in isQuick ? [1000] : [1000, 100_000, 1_000_000] { try measuring.pins(among: count) }
