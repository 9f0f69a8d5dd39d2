internal import ArgumentParser
internal import Foundation

/// `sallyport study`: strategies of pinning, compared on recorded chains.
struct StudyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "study",
        abstract: "Compares pinning strategies on recorded chains.",
        discussion: """
            Reports how long pins last, how many users they lock out and which impostors they accept. Without arguments the \
            recording that ships is used; 'study lab' takes the simulated one. 'sallyport help study run' shows every option. \
            'study merge' merges partial results. Exit status: 0 done, 2 could not run.
            """,
        subcommands: [StudyRunCommand.self, StudyMergeCommand.self],
        defaultSubcommand: StudyRunCommand.self
    )
}

/// How the result of a study is printed.
struct StudyOutput: ParsableArguments {
    @Flag(help: "One JSON object: every number, and the parameters that made it.")
    var json = false

    @Option(help: "Write an HTML page with charts to this file; the page loads no other file and runs no script.")
    var html: String?
}
