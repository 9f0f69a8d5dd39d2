internal import ArgumentParser
internal import Hostnames
internal import PinAudits
internal import PinFormats
internal import SPKIPins

/// `sallyport pins audit`: weak keys, and sets of pins that will fail.
struct PinsAuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Looks for weak keys, and for sets of pins that will lock out or protect nobody.",
        discussion: """
            Files are told apart by what is in them: certificates (PEM or DER), lists of pins (one a line), compiled \
            policies, and else policies in the form of --format. The more certificates are given, the more is found: of \
            pinned keys, of their authorities, and of all the keys that should not share a prime. Nothing is validated. \
            Entries of a policy are numbered from 0, certificates of a file from 1. Exit status 0: no finding above a note; 1: there is one; 2: could \
            not run.
            """
    )

    @Option(help: "The form of policies: \(PinFormat.names); json when absent.", transform: PinFormat.named)
    var format: PinFormat?

    @Option(help: "The host pattern, where a file names none (lists of pins, rfc7469, curl).")
    var host: String?

    @Option(
        name: .customLong("presented"),
        help: ArgumentHelp("What a server presents; may be repeated.", valueName: "host=file"),
        transform: Presented.init(parsing:)
    )
    var presented: [Presented] = []

    @Option(help: "Pins of keys that must not be used, one a line; may be repeated.")
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

    /// What `--presented` says.
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
        for file in files { try input.read(file) }
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
        if findings.contains(where: { $0.severity > .note }) { throw CommandExit.answerWasNo }
    }
}
