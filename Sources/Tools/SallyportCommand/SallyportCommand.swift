internal import ArgumentParser
internal import CredentialSources
internal import Foundation
internal import ProfileFiles
internal import WireFormat

/// `sallyport`: authentication challenges at the command line.
@main
struct SallyportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sallyport",
        abstract: "Decides about authentication challenges and answers them.",
        discussion: "Exit status: 0 if every answer is yes, 1 if an answer is no, 2 if the command could not run.",
        version: ProgramVersion.text,
        subcommands: [
            ReplayCommand.self, NTLMCommand.self, NegotiateCommand.self, SitesCommand.self, PinsCommand.self,
            RecordCommand.self, StudyCommand.self, CredentialsCommand.self, IdentityCommand.self, GetCommand.self,
            ExplainCommand.self, RelayCommand.self, RunPACCommand.self, LoginCommand.self, LogoutCommand.self,
            TokenCommand.self,
        ]
    )

    /// Runs the command. Exit codes are those of ``CommandExit``, because ArgumentParser would end a usage error with 64.
    static func main() {
        ClosedDescriptors.reserve()
        TerminalQuestions.observe { StandardError.changeQuestion(isOpen: $0) }
        var defaults: RelayDefaults?
        do {
            let arguments = ArgumentPath.arguments
            try checkText(arguments)
            let completed = try self.defaults(for: JoinedOptions.separated(arguments))
            defaults = completed
            var command = try parseAsRoot(completed.arguments)
            if let sentence = completed.sentence, !completed.isJSON {
                StandardError.write("sallyport relay: \(sentence)\n")
            }
            try command.run()
        } catch let code as ExitCode {
            // A question that is still open ends with the process; what waits for its end is written before.
            StandardError.changeQuestion(isOpen: false)
            Foundation.exit(code.rawValue)
        } catch {
            // Help and version arrive as errors, too.
            let isAnswer = exitCode(for: error) == .success
            let text = fullMessage(for: error)
            guard isAnswer else {
                StandardError.write(
                    UsageLine.text(message(for: error), fullMessage: text, defaults: defaults?.sentence)
                )
                Foundation.exit(CommandExit.couldNotRun.rawValue)
            }
            let isWritten = (try? StandardOutput.write(text.hasSuffix("\n") ? text : text + "\n")) != nil
            Foundation.exit(isWritten ? 0 : CommandExit.couldNotRun.rawValue)
        }
    }
}

extension SallyportCommand {
    /// The arguments with those of the files; an error of a file is one line.
    private static func defaults(for arguments: [String]) throws -> RelayDefaults {
        do {
            return try RelayDefaults(completing: arguments)
        } catch let error as ProfileFileError {
            StandardError.write("sallyport relay: \("\(error)".inOneLine)\n")
            throw CommandExit.couldNotRun
        }
    }

    /// Refuses arguments of `ntlm` that are not UTF-8. They are names and domains, and repairing the bytes would name
    /// another account.
    private static func checkText(_ arguments: [String]) throws {
        guard arguments.first == NTLMCommand.configuration.commandName,
            let place = arguments.firstIndex(where: { !SystemPath.isUTF8($0) })
        else { return }
        // The argument is not shown, because it may be a secret.
        StandardError.write("sallyport ntlm: argument \(place + 1) is not UTF-8: write it in UTF-8\n")
        throw CommandExit.couldNotRun
    }
}
