internal import ArgumentParser
internal import Foundation
internal import WireFormat

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
            let arguments = ArgumentPath.arguments
            try checkText(arguments)
            var command = try parseAsRoot(arguments)
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

extension SallyportCommand {
    /// `ntlm` takes names and domains, not files. Bytes that are not UTF-8 are refused, because their repair would name
    /// another account.
    private static func checkText(_ arguments: [String]) throws {
        guard arguments.first == NTLMCommand.configuration.commandName,
            let place = arguments.firstIndex(where: { !SystemPath.isUTF8($0) })
        else { return }
        // Not shown: a secret may have been typed there.
        StandardError.write("sallyport ntlm: argument \(place + 1) is not UTF-8: write it in UTF-8\n")
        throw CommandExit.couldNotRun
    }
}

/// How `sallyport` ends (0 is yes to all).
enum CommandExit {
    /// Some answer was no.
    static let answerWasNo = ExitCode(1)
    /// Usage, unreadable or invalid input.
    static let couldNotRun = ExitCode(2)
}
