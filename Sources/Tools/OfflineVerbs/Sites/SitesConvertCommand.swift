internal import AllowedSites
internal import ArgumentParser
internal import Foundation

/// `sallyport sites convert`: converts a list of sites from one form into another and reports what is lost.
struct SitesConvertCommand: ParsableCommand, ReadsPublicSuffixes {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Converts a list of sites from one form into another.",
        discussion: """
            Forms: \(SiteForm.names); 'rules' is our own list. Standard error has one line for each entry that the new form \
            cannot express. Such an entry is left out, never widened. An entry that may be an exception is never left out \
            when it cannot be read, because the list would allow more. Exit status: 0 written; 1 something is lost and \
            --strict was given, or no entry is left to write; 2 could not run.
            """
    )

    @Option(help: "The form to read.", transform: SiteForm.named)
    var from: SiteForm

    @Option(help: "The form to write to standard output.", transform: SiteForm.named)
    var to: SiteForm

    @Flag(
        help: """
            Allow wildcards directly above public suffixes, as in '*.local'; a list of rules has the line \
            '#! allow-public-suffix' instead.
            """
    )
    var allowPublicSuffix = false

    @Flag(help: "Exit with status 1 if anything is lost.")
    var strict = false

    @OptionGroup package var publicSuffixes: PublicSuffixOptions

    @Argument(help: "The file; standard input when absent or '-'.")
    var file = "-"

    func validate() throws {
        guard from != .rules || !allowPublicSuffix else {
            throw ValidationError(
                "--allow-public-suffix is for other forms; a list of rules has '#! allow-public-suffix'."
            )
        }
    }

    func run() throws {
        let data: Data
        do throws(ListBytes.Problem) {
            data = try ListBytes.read(file)
        } catch {
            throw failure(error.text)
        }
        let name = FileProblem.name(of: file).inOneLine
        let (list, unread) = try SiteListFormat.parse(
            data,
            name,
            dialect: from.dialect,
            leavingOutBadLines: true,
            allowingPublicSuffix: allowPublicSuffix,
            orFail: failure
        )
        SiteListFormat.name(list.leftOut, name, prefix: "lost: ")
        for loss in unread { StandardError.write("lost: \(name):\("\(loss)".inOneLine)\n") }
        let exceptions = unread.count { $0.mayBeException }
        guard exceptions == 0 else {
            throw failure(
                "\(exceptions) of these may be meant as exceptions, without which the list would allow more: correct them"
            )
        }
        let (text, unwritten) = to.write(list)
        for loss in unwritten { StandardError.write("lost: \(name):\("\(loss)".inOneLine)\n") }
        guard !text.isEmpty else {
            StandardError.write("sallyport sites convert: no entry is left to write in the form \(to.name)\n")
            throw CommandExit.answerWasNo
        }
        try StandardOutput.write(text)
        let isComplete = list.leftOut.isEmpty && unread.isEmpty && unwritten.isEmpty
        if strict, !isComplete { throw CommandExit.answerWasNo }
    }

    private func failure(_ text: String) -> any Error {
        StandardError.complain("sites convert", "\(FileProblem.name(of: file)): \(text)")
        return CommandExit.couldNotRun
    }
}
