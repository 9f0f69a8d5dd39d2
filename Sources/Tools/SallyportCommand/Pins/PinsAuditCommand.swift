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
            Entries of a policy are numbered from 0, certificates of a file from 1. A file or a certificate that cannot \
            be read is named on standard error, and the others are audited. Exit status 0: no finding above a note; 1: there \
            is one, or something could not be read; 2: could not run.
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

    @Option(
        help: """
            Keys that must not be used, one a line; may be repeated. Lines are pins, or 20 hexadecimal digits as in the \
            lists of weak keys (CVE-2008-0166) of Debian's openssl-blacklist and openssh-blacklist. This program brings no \
            list along; without one such keys are not found.
            """
    )
    var blockList: [String] = []

    @Option(
        help: """
            Elliptic curves that look for a prime factor of up to 64 bits of each RSA modulus; none when absent. A curve takes \
            half a second for 2048 bits; of factors of 64 bits 100 curves find two in three, 300 all but one in forty. Factors \
            up to 65537 are always found.
            """
    )
    var curves = 0

    /// A day for one key of 2048 bits.
    private static let mostCurves = 200_000

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

    /// What was given and not audited, or `nil`.
    private static func missing(_ unread: Int, of files: Int, certificates: Int) -> String? {
        let parts = [
            unread > 0 ? "\(unread) of \(files) files" : nil,
            certificates > 0 ? "\(certificates) certificate\(certificates > 1 ? "s" : "") of the others" : nil,
        ]
        let missing = parts.compactMap(\.self).joined(separator: ", and ")
        return missing.isEmpty ? nil : missing
    }

    func validate() throws {
        guard (0...Self.mostCurves).contains(curves) else {
            throw ValidationError("--curves takes a number from 0 to \(Self.mostCurves).")
        }
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
                // Said already. One file of many costs no other one, and the answer is not yes.
                unread += 1
            }
        }
        guard unread < files.count else { throw CommandExit.couldNotRun }
        for file in blockList { try input.readBlockList(file) }
        for one in presented { try input.readPresented(one.host, one.file) }
        input.audit.factorCurves = curves
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
