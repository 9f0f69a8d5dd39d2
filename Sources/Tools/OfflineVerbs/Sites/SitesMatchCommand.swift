internal import AllowedSites
internal import ArgumentParser

/// `sallyport sites match`: a verdict for every URL.
struct SitesMatchCommand: ParsableCommand, ReadsPublicSuffixes {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Says for every URL whether credentials may go there.",
        discussion: """
            The command reads URLs from its arguments, or from the lines of standard input. It prints one line per URL: the \
            verdict (allowed, denied, invalid), the rule that decided and the reason. Exit status: 0 all URLs are allowed \
            (or the input is empty), 1 some are not, 2 could not run.
            """
    )

    @OptionGroup var lists: SiteListOptions

    @Flag(help: "One JSON object a line: input, verdict, rule, line, list, reason.")
    var json = false

    @Argument(help: ArgumentHelp("Absolute URLs; without this argument, standard input.", valueName: "url"))
    var urls: [String] = []

    @OptionGroup package var publicSuffixes: PublicSuffixOptions

    func validate() throws {
        guard !urls.isEmpty || !lists.takeStandardInput else {
            throw ValidationError("Standard input is the list: name the URLs as arguments.")
        }
    }

    func run() throws {
        let sites = try lists.load(verb: "match")
        let isAllAllowed = urls.isEmpty ? try answerInput(sites) : try answerArguments(sites)
        if !isAllAllowed { throw CommandExit.answerWasNo }
    }

    private func answerArguments(_ sites: LayeredSites) throws -> Bool {
        var writer = VerdictWriter(sites: sites, isJSON: json)
        for url in urls {
            let bytes = Array(url.utf8)
            writer.answer(bytes, 0..<bytes.count)
        }
        try writer.flush()
        return writer.isAllAllowed
    }

    private func answerInput(_ sites: LayeredSites) throws -> Bool {
        var writer = VerdictWriter(sites: sites, isJSON: json)
        var input = InputLines()
        var progress = ProgressLine(unit: "URLs")
        defer { progress.finish() }
        while try fill(&input, answered: writer.count) {
            let before = writer.count
            let lines = input.takeLines()
            let bytes = input.bytes
            InputLines.forEach(in: bytes, lines) { line in writer.answer(bytes, line) }
            // Flushed after each read, because a program at the other end may wait for an answer before it asks again.
            try writer.flush()
            progress.advance(by: writer.count - before)
        }
        return writer.isAllAllowed
    }

    private func fill(_ input: inout InputLines, answered: Int) throws -> Bool {
        do throws(InputError) {
            return try input.fill()
        } catch {
            let problem =
                if case .tooLong(let limit) = error {
                    "line \(answered + 1) of the input has more than \(limit) bytes: write one URL a line"
                } else {
                    "\(error)"
                }
            StandardError.write("sallyport sites match: \(problem)\n")
            throw CommandExit.couldNotRun
        }
    }
}
