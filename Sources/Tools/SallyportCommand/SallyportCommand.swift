internal import ArgumentParser
internal import Foundation

/// `sallyport`: authentication challenges at the command line.
@main
struct SallyportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sallyport",
        abstract: "Decides about authentication challenges and answers them.",
        discussion: "Exit status: 0 yes to all, 1 some answer was no, 2 could not run.",
        subcommands: [
            ReplayCommand.self, NTLMCommand.self, SitesCommand.self, PinsCommand.self, RecordCommand.self,
            StudyCommand.self,
        ]
    )

    /// The package's exit codes are its own: ArgumentParser would end a usage error with 64.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let code as ExitCode {
            Foundation.exit(code.rawValue)
        } catch {
            let isHelp = exitCode(for: error) == .success
            let text = fullMessage(for: error)
            guard isHelp else {
                StandardError.write(UsageLine.text(message(for: error), fullMessage: text))
                Foundation.exit(CommandExit.couldNotRun.rawValue)
            }
            let isWritten = (try? StandardOutput.write(text)) != nil
            Foundation.exit(isWritten ? 0 : CommandExit.couldNotRun.rawValue)
        }
    }
}

/// How `sallyport` ends (0 is yes to all).
enum CommandExit {
    /// Some answer was no.
    static let answerWasNo = ExitCode(1)
    /// Usage, unreadable or invalid input.
    static let couldNotRun = ExitCode(2)
}
