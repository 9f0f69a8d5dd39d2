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
            guard let format = ImportFormat(rawValue: format) else {
                let all = ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")
                throw StudyFiles.fail("import \(JSONValue.escaped(format)): unknown; one of \(all)")
            }
            let options = ImportOptions(
                time: try at.map { try PinsInput.time(at: $0, "study import") },
                endpoint: try endpoint()
            )
            let trusted = try roots.map { try PinsInput.roots(of: $0, "study import") }
            let validator = trusted.map { ChainValidator(roots: $0) } ?? .system
            var writer = try ChainRecordingWriter(folder: ArgumentPath.url(out))
            if writer.appends {
                StandardError.write("sallyport study: import: appending to the recording in \(out.inOneLine)\n")
            }
            var (imported, validated, without) = (0, 0, 0)
            var (losses, unjudged) = (ImportLosses(), ImportLosses())
            var progress = ProgressLine(unit: "chains")
            for path in paths {
                let left = try format.forEachChain(in: path, options) { (chain) throws(RecordingError) in
                    let own = chain.roots.isEmpty ? validator : ChainValidator(roots: chain.roots + (trusted ?? []))
                    var entry = ChainRecordingWriter.Entry(
                        first: chain.time,
                        last: chain.time,
                        endpoint: chain.endpoint
                    )
                    entry.presented = chain.presented
                    entry.source = chain.source
                    let outcome = try? Blocking.run {
                        await own.validate(chain.presented, host: chain.endpoint.host, at: chain.time)
                    }
                    if case .validated(let path) = outcome { entry.validated = path }
                    entry.note = outcome.flatMap(chain.note)
                    do throws(RecordingError) {
                        try writer.add(entry)
                        imported += 1
                        if entry.validated != nil { validated += 1 }
                        if case .notJudged = outcome, let note = outcome?.note {
                            let remedy =
                                "recorded as presented; verify it with another program, such as 'openssl verify'"
                            unjudged.leaveOut("\(chain.endpoint)", "\(note): \(remedy)")
                        }
                    } catch {
                        StandardError.write("sallyport study: import: \(error.problem)\n")
                        without += 1
                    }
                    progress.advance(by: 1)
                }
                without += left.count
                losses.add(left)
            }
            try writer.commit()
            progress.finish()
            // Other output than the format's: one line says so, as for a path that cannot be read.
            if imported == 0, losses.areFaults, losses.count == without, let first = losses.losses.first {
                throw StudyFiles.fail("import: \("\(first)".inOneLine)")
            }
            for loss in losses.losses { StandardError.write("sallyport study: import: \("\(loss)".inOneLine)\n") }
            for chain in unjudged.losses { StandardError.write("sallyport study: import: \("\(chain)".inOneLine)\n") }
            let apart = unjudged.count > 0 ? ", \(unjudged.count) not judged" : ""
            try StandardOutput.write(
                "\(imported.counted("chain")) imported, \(validated) of them validated\(apart); "
                    + "\(without.counted("entry", "entries")) left out\n"
            )
            // Another root changes nothing for a chain that cannot be judged.
            if validated == 0, imported > unjudged.count {
                StandardError.write(
                    "sallyport study: import: no chain validated, and a study needs one: name --roots\n"
                )
            }
            guard without * 100 <= mostLeftOut * (imported + without) else {
                throw StudyFiles.fail(
                    "import: \(without) of \(imported + without) entries were left out, more than the \(mostLeftOut) percent "
                        + "of --most-left-out: correct the entries named above"
                )
            }
            if without > 0 { throw CommandExit.answerWasNo }
        } catch let code as ExitCode {
            throw code
        } catch {
            throw StudyFiles.fail("import: \(error)")
        }
    }

    private func endpoint() throws -> RecordedEndpoint? {
        guard let host else { return nil }
        guard let endpoint = RecordedEndpoint(parsing: host) else {
            throw StudyFiles.fail("import: --host takes HOST or HOST:PORT, with A-labels")
        }
        return endpoint
    }
}
