internal import ArgumentParser
internal import ChainSources
internal import Corpora
internal import Foundation
internal import OfflineVerbs
internal import WireFormat

/// `sallyport study import FORMAT PATH… --out DIR`: imports chains that other tools recorded.
struct StudyImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Appends chains that other tools recorded to a recording.",
        discussion: """
            pem: a folder of PEM files, or one, named for its host (host.pem, host_8443.pem), the leaf first. openssl: the \
            output of 'openssl s_client -showcerts', in files with such names (.txt, .log, .out). limbo: the JSON of x509-limbo's \
            test cases. zgrab2: the output of 'zgrab2 tls' or 'zgrab2 http'. A chain is validated at its own time. A chain \
            that does not validate is recorded as presented, and a study skips it. So is a chain with a signature algorithm that \
            the validator does not know; it is counted as not judged, and its note keeps what the scan said. An entry that cannot be read is left out \
            and named; the others are imported. Exit status: 0 every entry was imported, 1 some were left out, 2 could not \
            run, no entry could be read, or more were left out than --most-left-out allows.
            """
    )

    @Argument(help: "The form: \(ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
    var format: String

    @Argument(help: "Files or folders.")
    var paths: [String]

    @Option(help: "The recording's folder; created if it does not exist.")
    var out: String

    @Option(
        help:
            "Trust the certificates of this PEM file instead of the system's (and, with limbo, besides each case's own)."
    )
    var roots: String?

    @Option(
        help: "The time of chains without one, such as 2026-01-31T09:30:00Z; the file's own time when absent."
    )
    var at: String?

    @Option(help: "The server of every chain, as HOST or HOST:PORT.")
    var host: String?

    @Option(help: "Fail if more than this many percent of the entries are left out; what was read stays recorded.")
    var mostLeftOut = 100

    func run() throws {
        do {
            guard (0...100).contains(mostLeftOut) else {
                throw StudyFiles.fail("import: --most-left-out takes a whole number from 0 to 100")
            }
            let format = try importFormat()
            let options = ImportOptions(
                time: try at.map { try PinsInput.time(at: $0, "study import") },
                endpoint: try endpoint()
            )
            let trusted = try roots.map { try PinsInput.roots(of: $0, "study import") }
            var running = StudyImport(
                into: try ChainRecordingWriter(folder: ArgumentPath.url(out)),
                trusting: trusted
            )
            if running.appends {
                StandardError.write("sallyport study: import: appending to the recording in \(out.inOneLine)\n")
            }
            for path in paths { try running.addChains(of: path, format, options) }
            try running.commit()
            try report(running)
            try checkLeftOut(running)
        } catch let code as ExitCode {
            throw code
        } catch {
            throw StudyFiles.fail("import: \(error)")
        }
    }

    /// Says what was imported, and what was left out and why.
    private func report(_ finished: borrowing StudyImport) throws {
        let losses = finished.losses
        // Other output than the format's: one line says so, as for a path that cannot be read.
        if finished.imported == 0, losses.areFaults, losses.count == finished.leftOut, let first = losses.losses.first {
            throw StudyFiles.fail("import: \("\(first)".inOneLine)")
        }
        let unjudged = finished.unjudged
        for loss in losses.losses { StandardError.write("sallyport study: import: \("\(loss)".inOneLine)\n") }
        for chain in unjudged.losses { StandardError.write("sallyport study: import: \("\(chain)".inOneLine)\n") }
        let apart = unjudged.count > 0 ? ", \(unjudged.count) not judged" : ""
        try StandardOutput.write(
            "\(finished.imported.counted("chain")) imported, \(finished.validated) of them validated\(apart); "
                + "\(finished.leftOut.counted("entry", "entries")) left out\n"
        )
        // Another root changes nothing for a chain that cannot be judged.
        if finished.validated == 0, finished.imported > unjudged.count {
            StandardError.write("sallyport study: import: no chain validated, and a study needs one: name --roots\n")
        }
    }

    /// Ends with a failure if too many entries were left out, and with a no if some were.
    private func checkLeftOut(_ finished: borrowing StudyImport) throws {
        let (leftOut, entries) = (finished.leftOut, finished.imported + finished.leftOut)
        guard leftOut * 100 <= mostLeftOut * entries else {
            throw StudyFiles.fail(
                "import: \(leftOut) of \(entries) entries were left out, more than the \(mostLeftOut) percent "
                    + "of --most-left-out: correct the entries named above"
            )
        }
        if leftOut > 0 { throw CommandExit.answerWasNo }
    }

    private func importFormat() throws -> ImportFormat {
        guard let known = ImportFormat(rawValue: format) else {
            let all = ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw StudyFiles.fail("import \(JSONText.escaped(format)): unknown; one of \(all)")
        }
        return known
    }

    private func endpoint() throws -> RecordedEndpoint? {
        guard let host else { return nil }
        guard let endpoint = RecordedEndpoint(parsing: host) else {
            throw StudyFiles.fail("import: --host takes HOST or HOST:PORT, with A-labels")
        }
        return endpoint
    }
}
