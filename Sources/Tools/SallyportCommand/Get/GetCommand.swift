internal import ArgumentParser
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import OfflineVerbs
internal import Sallyport
internal import SallyportClient
internal import WireFormat

/// `sallyport get URL`: one request, with the answers to its challenges.
struct GetCommand: ParsableCommand, ReadsPublicSuffixes {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Requests a URL, and answers the challenges on the way.",
        discussion: """
            The body goes to standard output as it arrives, or replaces the file of --output when it is complete and the status \
            is a success. Without --profile only the URL's own origin and its proxy may get credentials. They come from the \
            profile, from the variable of the proxy, from --netrc, --git, the sealed store or the keyring, or the terminal, in this order. \
            The proxy is that of --proxy, otherwise that of http_proxy (for http), https_proxy or HTTPS_PROXY (for https), \
            all_proxy or ALL_PROXY, except for the hosts of no_proxy or NO_PROXY. With --pac or --wpad a script chooses, and \
            --proxy names the one of its proxies that may get credentials; with --desktop-proxy the desktop's setting does. With --kerberos your ticket answers, which kinit gets. Exit status: 0 the server answered with \
            success (2xx), 1 an answer was no, 2 could not run.
            """
    )

    // First, because their reasons come before those of other mistakes.
    @OptionGroup var refused: RefusedOptions
    @OptionGroup var request: RequestOptions
    @OptionGroup var script: PACOptions
    @OptionGroup var certificate: CertificateOptions
    @OptionGroup var account: AccountOptions
    @OptionGroup var store: StoreOptions

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "Write the body to this file, which keeps its bytes unless all goes well.",
            valueName: "file"
        )
    )
    var output: String?

    @Flag(help: "One JSON object about the response; the body goes to --output alone.")
    var json = false

    @Flag(help: "Tell the story of the request on standard error, as sallyport explain does.")
    var explain = false

    @Flag(name: .shortAndLong, help: "The same, and the status line and fields of the response.")
    var verbose = false

    @OptionGroup package var publicSuffixes: PublicSuffixOptions

    private var arguments: RequestArguments {
        RequestArguments(
            request: request,
            script: script,
            certificate: certificate,
            account: account,
            store: store
        )
    }

    func validate() throws {
        try arguments.validate()
        guard !request.head || output == nil else {
            throw ValidationError("A response to HEAD has no body: remove --output.")
        }
        guard !json || output != "-" else {
            throw ValidationError("--json takes standard output: name a file with --output.")
        }
    }

    func run() throws {
        let story = Explanation()
        var begun: RequestSession?
        defer { if tells { StandardError.write(story.text(json: false)) } }
        do {
            let session = try story.session(arguments, verb: "get")
            defer { session.close() }
            begun = session
            if tells { story.begin(session, arguments) }
            // Before the request, because nothing should happen on the server if there is no place for the answer.
            let output = try BodyOutput(output ?? (json || request.head ? nil : "-"))
            let report = try self.report(session, output)
            if json { try StandardOutput.write(report.json(output: self.output)) }
            story.end(report.story, report.url)
            if verbose { StandardError.write(report.head) }
            guard let problem = report.story.problem else { return }
            let end = report.isCut ? "; its page did not come whole" : ""
            complain("\(report.url): \(report.story.statusText): \(problem)\(end)")
            throw CommandExit.answerWasNo
        } catch let code as ExitCode {
            throw code
        } catch {
            let failure = RequestFailure(error, arguments, begun)
            story.end(failure)
            if json { try StandardOutput.write(GetReport.json(of: failure)) }
            complain(failure.text)
            throw failure.isAnswer ? CommandExit.answerWasNo : CommandExit.couldNotRun
        }
    }

    private func report(_ session: RequestSession, _ output: BodyOutput) throws -> GetReport {
        let (arguments, request, json) = (arguments, request, json)
        let isNamed = self.output != nil
        return try Blocking.run {
            // An error leaves a file as it was.
            defer { output.abandon() }
            return try await session.run { response in
                let story = ResponseExplanation(response, arguments, session)
                let report = GetReport(response, story, session.url, session.authenticator.current.handler)
                if request.head, !json { try StandardOutput.write(report.head) }
                // A page of an impostor is not shown. Other refusals are, like the pages of a browser.
                guard report.story.isSuccess else {
                    if isNamed || report.story.isUnproven { return report }
                    let isWhole = try await Self.show(response, output)
                    return report.with(bytes: output.count, isCut: !isWhole)
                }
                var progress = ProgressLine(unit: "bytes")
                defer { progress.finish() }
                for try await part in response.body {
                    try output.write(part)
                    session.clock.advance()
                    if output.isFile, !request.silent { progress.advance(by: part.readableBytes) }
                }
                // A body whose reader was cancelled is not complete.
                try Task.checkCancellation()
                try output.finish()
                return report.with(bytes: output.count)
            }
        }
    }

    /// Writes the page of a refusal, and returns whether it came whole. Its status is the answer, whatever becomes of the page.
    private static func show(_ response: ClientResponse, _ output: BodyOutput) async throws -> Bool {
        let clock = RequestClock(stallLimit: RequestClock.refusalLimit)
        do {
            try await clock.run(limit: nil) {
                for try await part in response.body {
                    try output.write(part)
                    clock.advance()
                }
                try Task.checkCancellation()
            }
            return true
        } catch let error as BodyOutputError {
            throw error
        } catch {
            try Task.checkCancellation()
            return false
        }
    }

    /// Whether the story is told.
    private var tells: Bool { explain || verbose }

    private func complain(_ text: String) { StandardError.complain("get", text) }
}
