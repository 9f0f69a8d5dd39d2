import Corpora
import Foundation
import PinningStudy

/// Compares pinning strategies on a recording of certificate chains: `study FOLDER PAGE`.
///
/// It prints one paragraph of advice, and writes the page with charts and tables.
@main
enum Comparison {
    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 3 else {
            print("usage: study FOLDER PAGE")
            exit(2)
        }
        let recording = try ChainRecording(folder: URL(filePath: words[1]))
        let study = Study(ChainHistory(recording), strategies: PinningStrategy.builtIn)
        let report = StudyReport(study)
        print(report.advice)
        try Data(report.page.utf8).write(to: URL(filePath: words[2]))
    }
}
