internal import ArgumentParser
internal import ClientCertificates
internal import OfflineVerbs
internal import WireFormat

/// `sallyport identity show`: what a file with a client certificate and its key holds.
struct IdentityShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the certificate, the kind of key and the chain of an identity, and warns.",
        discussion: """
            The key itself is never shown. A file that is encrypted needs its passphrase: the terminal asks for it without \
            echo; --stdin and --passphrase-file read it elsewhere. Exit status: 0 no warning, 1 a warning, 2 could not run.
            """
    )

    @OptionGroup var files: IdentityFileOptions

    @Flag(help: "One JSON object.")
    var json = false

    func run() throws {
        try CommandExit.run("identity show") {
            let report = try IdentityReport(of: files.read(name: "identity"), now: SystemClock.unixSeconds)
            try StandardOutput.write(json ? report.json.text + "\n" : report.text)
            if !report.warnings.isEmpty { throw CommandExit.answerWasNo }
        }
    }
}
