import Corpora
import PinningStudy

/// The snippet of PinningStudy.md.
enum PinningStudySnippet {
    static func compare(_ recording: ChainRecording) -> (StudyReport, String) {
        let history = ChainHistory(recording)  // a ChainRecording of Corpora
        let study = Study(history, strategies: PinningStrategy.builtIn)
        let report = StudyReport(study)
        print(report.advice)  // one paragraph
        let html = report.page  // charts and tables
        return (report, html)
    }
}
