package import ArgumentParser
package import Foundation
internal import PinningStudy
internal import WireFormat

/// `sallyport study merge`: a report of partial results.
struct StudyMergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merges partial results and reports on all hosts.",
        discussion: "The parts must be of one recording with the same options, and have every host exactly once."
    )

    @Argument(help: "Files that 'study --partial' wrote.")
    var files: [String]

    @OptionGroup var output: StudyOutput

    func run() throws {
        do {
            let parts = try files.map { file in
                do {
                    return try Study(partial: StudyFiles.read(file, limit: Study.largestFile))
                } catch let error as PartialStudyError {
                    throw StudyFiles.fail("\(file): \(error)")
                }
            }
            try StudyFiles.show(Study(merging: parts), output)
        } catch let code as ExitCode {
            throw code
        } catch {
            throw StudyFiles.fail("\(error)")
        }
    }
}

/// Files and reports that the study commands share.
package enum StudyFiles {
    /// Writes one error line and returns the exit status.
    package static func fail(_ text: String) -> ExitCode {
        StandardError.complain("study", text)
        return CommandExit.couldNotRun
    }

    package static func read(_ file: String, limit: Int) throws -> Data {
        let data: Data
        do {
            let handle = try ArgumentPath.open(file)
            defer { try? handle.close() }
            data = try handle.read(upToCount: limit + 1) ?? Data()
        } catch {
            throw fail("\(file): \(FileProblem.reading(file))")
        }
        guard data.count <= limit else { throw fail("\(file): more than \(limit) bytes") }
        return data
    }

    package static func write(_ data: Data, to file: String) throws {
        do throws(FileWriteError) {
            try FileReplacement.write(data.span, to: file)
        } catch {
            throw fail("\(file): \(FileProblem.writing(errno: error.errno))")
        }
    }

    /// Reports on a study.
    static func show(_ study: Study, _ output: StudyOutput) throws {
        var progress = ProgressLine(total: study.strategyCount, unit: "strategies summed up")
        let report = StudyReport(study) { progress.advance(by: 1) }
        progress.finish()
        if let html = output.html { try write(Data(report.page.utf8), to: html) }
        try StandardOutput.write(output.json ? JSONValue.line(encoding: report) : StudyTable.text(report))
    }
}
