internal import ArgumentParser
internal import Hostnames
internal import OfflineVerbs
internal import PinAudits
internal import PinFormats
internal import SPKIPins
internal import WireFormat

/// `sallyport pins audit`: weak keys, and sets of pins that will fail.
struct PinsAuditCommand: ParsableCommand, ReadsPublicSuffixes {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Finds weak keys, and sets of pins that will lock clients out or that do not protect.",
        discussion: """
            The content of a file decides how it is read: as certificates (PEM or DER), as a list of pins (one per line), \
            as a compiled policy, or else as a policy in the form of --format. More certificates give more findings: about \
            pinned keys, about their authorities, and about keys that share a prime. Nothing is validated. Entries of a \
            policy are numbered from 0, certificates of a file from 1. A file or a certificate that cannot be read is \
            reported on standard error, and the others are audited. Exit status: 0 no finding above a note; 1 such a \
            finding, or an input that could not be read; 2 could not run.
            """
    )

    @Option(help: "The form of policies: \(PinFormat.names); json when absent.", transform: PinFormat.named)
    var format: PinFormat?

    @Option(help: "The host pattern for files without one (lists of pins, rfc7469, curl).")
    var host: String?

    @Option(
        name: .customLong("presented"),
        help: ArgumentHelp("The certificates that a server presents; may be repeated.", valueName: "host=file"),
        transform: Presented.init(parsing:)
    )
    var presented: [Presented] = []

    @Option(
        help: """
            Keys that must not be used, one per line; may be repeated. Lines are pins, or 20 hexadecimal digits as in the \
            lists of weak keys (CVE-2008-0166) of Debian's openssl-blacklist and openssh-blacklist. This program contains \
            no such list, and without one it does not find these keys.
            """
    )
    var blockList: [String] = []

    @Option(help: "Days between two releases that can bring new pins.")
    var releaseDays: Int?

    @Option(help: "The time of the audit, such as 2036-01-01T00:00:00Z; now when absent.")
    var at: String?

    @Flag(help: "Show notes too.")
    var notes = false

    @Flag(help: "One JSON object for each finding, notes included.")
    var json = false

    @Argument(help: "Files; '-' for standard input.")
    var files: [String]

    /// The host and the file of one `--presented`.
    struct Presented {
        let host: String
        let file: String

        init(parsing text: String) throws {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                throw ValidationError("--presented takes a host, '=' and a file.")
            }
            host = String(text[..<equals])
            file = String(text[text.index(after: equals)...])
        }
    }

    /// The number of files and certificates that were not audited, in words; `nil` if there are none.
    private static func missing(_ unread: Int, of files: Int, certificates: Int) -> String? {
        let parts = [
            unread > 0 ? "\(unread) of \(files.counted("file"))" : nil,
            certificates > 0 ? "\(certificates) certificate\(certificates > 1 ? "s" : "") of the others" : nil,
        ]
        let missing = parts.compactMap(\.self).joined(separator: ", and ")
        return missing.isEmpty ? nil : missing
    }

    @OptionGroup package var publicSuffixes: PublicSuffixOptions

    func validate() throws {
        guard !files.isEmpty else { throw ValidationError("Give a file.") }
        guard (releaseDays ?? 1) > 0, (releaseDays ?? 1) <= 36_500 else {
            throw ValidationError("--release-days takes a number from 1 to 36500.")
        }
    }

    func run() throws {
        let now = try PinsInput.time(at: at, "pins audit")
        try PinsInput.checkPattern(host, "pins audit")
        var input = PinsAuditInput(format: format, host: host, now: now)
        var unread = 0
        for file in files {
            do {
                try input.read(file)
            } catch let code as ExitCode where code == CommandExit.couldNotRun {
                // Already reported. The other files are audited; the exit status is 1.
                unread += 1
            }
        }
        guard unread < files.count else { throw CommandExit.couldNotRun }
        for file in blockList { try input.readBlockList(file) }
        for one in presented { try input.readPresented(one.host, one.file) }
        input.audit.releaseCadence = releaseDays.map { Int64($0) * 86_400 }
        var line: ProgressLine?
        var last = 0
        let findings = input.audit.findings(at: now) { done, total in
            if line == nil { line = ProgressLine(total: total, unit: "steps") }
            line?.advance(by: done - last)
            last = done
        }
        line?.finish()
        let report = PinsAuditReport(findings: findings, input: input)
        try StandardOutput.write(json ? report.json : report.text(withNotes: notes))
        let missing = Self.missing(unread, of: files.count, certificates: input.damagedCertificates)
        if let missing { StandardError.write("sallyport pins audit: not audited: \(missing)\n") }
        if missing != nil || findings.contains(where: { $0.severity > .note }) { throw CommandExit.answerWasNo }
    }
}
