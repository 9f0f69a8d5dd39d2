internal import AllowedSites
internal import ArgumentParser
internal import WireFormat

/// `sallyport sites compile`: lists as one image, which is mapped instead of read.
struct SitesCompileCommand: ParsableCommand, ReadsPublicSuffixes {
    static let configuration = CommandConfiguration(
        commandName: "compile",
        abstract: "Compiles lists of rules into one image.",
        discussion: """
            The image contains the rules of all lists, as if the lists were one. 'sites match --image' maps it into memory \
            without parsing it. Exit status: 0 written, 2 could not run.
            """
    )

    @Argument(help: ArgumentHelp("Lists of rules, or - for standard input.", valueName: "list"))
    var lists: [String]

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Where the image goes; an older image is replaced, and no other file.", valueName: "image")
    )
    var output: String

    @Option(
        help: ArgumentHelp(
            "How keys are kept: \(TrieLayout.fast.rawValue), or \(TrieLayout.compact.rawValue), which is a third smaller.",
            valueName: "name"
        )
    )
    var layout = TrieLayout.fast.rawValue

    @OptionGroup var format: SiteListFormat

    @Flag(help: "One JSON object: image, rules, bytes.")
    var json = false

    @OptionGroup package var publicSuffixes: PublicSuffixOptions

    func validate() throws {
        guard lists.count(where: ListBytes.namesStandardInput) <= 1 else {
            throw ValidationError("Only one list can come from standard input.")
        }
        guard !FileProblem.isStandardInput(output) else {
            throw ValidationError("An image is written to a file: name one with --output.")
        }
        guard TrieLayout(rawValue: layout) == nil else { return }
        let names = TrieLayout.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("--layout takes one of \(names).")
    }

    func run() throws {
        try checkOutput()
        var builder = SiteTrieBuilder()
        for file in lists {
            builder.add(
                try StageProgress.run("reading \(FileProblem.name(of: file))") {
                    try format.read(file, verb: "compile", narrows: lists.count > 1)
                }
            )
        }
        let sites = StageProgress.run("compiling") { builder.build(layout: TrieLayout(rawValue: layout) ?? .fast) }
        do throws(TrieImageError) {
            try sites.writeImage(to: output)
        } catch {
            throw failure("\(error)")
        }
        let members: [(name: String, value: JSONValue)] = [
            ("image", .string(output)), ("rules", .integer(UInt64(sites.count))),
            ("bytes", .integer(UInt64(sites.imageSize))),
        ]
        let text = "\(output.inOneLine): \(sites.count.counted("rule")), \(sites.imageSize.counted("byte"))\n"
        try StandardOutput.write(json ? JSONValue.object(members).text + "\n" : text)
    }

    /// Refuses to overwrite a file that is not an image, because a typing mistake could name a list.
    private func checkOutput() throws {
        // A file by another name is the same file.
        guard
            !lists.contains(where: { !FileProblem.isStandardInput($0) && FileReading.isSameFile($0, output) })
        else {
            throw failure("this is one of the lists: name another file for the image")
        }
        // An unreadable or missing path passes. Writing refuses a path that is not a regular file.
        guard let start = try? FileReading.start(of: output, count: SiteTrie.imageStart) else { return }
        guard start.isEmpty || SiteTrie.isImage(start) else {
            throw failure("this file exists and is not an image: remove it, or name another one")
        }
    }

    private func failure(_ text: String) -> any Error {
        StandardError.write("sallyport sites compile: \(output.inOneLine): \(text)\n")
        return CommandExit.couldNotRun
    }
}
