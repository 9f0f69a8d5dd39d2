internal import ArgumentParser
internal import CredentialSources
internal import OfflineVerbs
internal import ProfileFiles

/// `sallyport`: authentication challenges at the command line.
@main
struct SallyportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sallyport",
        abstract: "Decides about authentication challenges and answers them.",
        discussion: "Exit status: 0 if every answer is yes, 1 if an answer is no, 2 if the command could not run.",
        version: ProgramVersion.lines,
        subcommands: OfflineVerbs.whole + [
            AllPinsCommand.self, RecordCommand.self, AllStudyCommand.self, CredentialsCommand.self,
            IdentityCommand.self,
            GetCommand.self, ExplainCommand.self, RelayCommand.self, GatewayCommand.self, RunPACCommand.self,
            LoginCommand.self,
            LogoutCommand.self, TokenCommand.self,
        ]
    )

    static func main() {
        EndingSignals.install()
        TerminalQuestions.observe { StandardError.changeQuestion(isOpen: $0) }
        CommandRun.main(Self.self, completing: completed)
    }
}

extension SallyportCommand {
    /// The arguments with those of the files; an error of a file is one line.
    private static func completed(_ arguments: [String]) throws -> CompletedArguments {
        do {
            let defaults = try RelayDefaults(completing: try JoinedOptions.separated(arguments))
            let announcement = defaults.isJSON ? nil : defaults.sentence.map { "sallyport relay: \($0)\n" }
            return CompletedArguments(
                arguments: defaults.arguments,
                origin: defaults.sentence,
                announcement: announcement
            )
        } catch let error as ProfileFileError {
            StandardError.complain("relay", "\(error)")
            throw CommandExit.couldNotRun
        }
    }
}
