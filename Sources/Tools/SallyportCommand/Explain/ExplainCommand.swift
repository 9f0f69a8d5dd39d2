internal import ArgumentParser
internal import OfflineVerbs

/// `sallyport explain URL`: the story of one request.
struct ExplainCommand: ParsableCommand, ReadsPublicSuffixes {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Requests a URL, and tells how its authentication went and what to change.",
        discussion: """
            The request is really sent, and the body of its response is not read. Each line is a step: the rule of the site, the \
            account and where its password comes from, the proxy, each challenge with what it offers, the scheme that answers and \
            why others were passed over, whether the answer is bound to TLS, the server's key, whether the server asked for \
            a client certificate and got one, and the outcome with the remedy. No \
            line holds a secret. The options are those of get, except --output, --verbose and --explain. Exit status: 0 the server answered with success (2xx), 1 an answer \
            was no, 2 could not run.
            """
    )

    // First, because their reasons come before those of other mistakes.
    @OptionGroup var refused: RefusedOptions
    @OptionGroup var request: RequestOptions
    @OptionGroup var script: PACOptions
    @OptionGroup var certificate: CertificateOptions
    @OptionGroup var account: AccountOptions
    @OptionGroup var store: StoreOptions

    @Flag(help: "One JSON object for each step: step, request, text and what the step knows.")
    var json = false

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

    func validate() throws { try arguments.validate() }

    func run() throws {
        let story = Explanation()
        var begun: RequestSession?
        var exit: ExitCode?
        do {
            let session = try story.session(arguments, verb: "explain")
            defer { session.close() }
            begun = session
            story.begin(session, arguments)
            let arguments = arguments
            let (end, url) = try Blocking.run {
                try await session.run { response in
                    let end = ResponseExplanation(response, arguments, session)
                    return (end, ResponseExplanation.url(of: response, session.url))
                }
            }
            story.end(end, url)
            if !end.isSuccess { exit = CommandExit.answerWasNo }
        } catch let code as ExitCode {
            throw code
        } catch {
            let failure = RequestFailure(error, arguments, begun)
            story.end(failure)
            if !failure.isAnswer { StandardError.complain("explain", failure.text) }
            exit = failure.isAnswer ? CommandExit.answerWasNo : CommandExit.couldNotRun
        }
        try StandardOutput.write(story.text(json: json))
        if let exit { throw exit }
    }
}
