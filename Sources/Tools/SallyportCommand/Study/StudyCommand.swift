internal import ArgumentParser
internal import Foundation

/// `sallyport study`: strategies of pinning, compared on recorded chains.
struct StudyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "study",
        abstract: "Compares pinning strategies on recorded chains.",
        discussion: """
            How long does a pin live, whom does it lock out, whom does it let in? Without arguments the recording that ships \
            is used; 'study lab' takes the simulated one. 'sallyport help study run' shows every option. 'study merge' puts \
            partial results together. Exit status 0: done; 2: could not run.
            """,
        subcommands: [StudyRunCommand.self, StudyMergeCommand.self, StudyImportCommand.self],
        defaultSubcommand: StudyRunCommand.self
    )
}

/// How a study's result is shown.
struct StudyOutput: ParsableArguments {
    @Flag(help: "One JSON object: every number, and the parameters that made it.")
    var json = false

    @Option(help: "Write one page with charts to this file: it fetches nothing and runs nothing.")
    var html: String?
}
