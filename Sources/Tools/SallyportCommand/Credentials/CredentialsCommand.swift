internal import ArgumentParser
internal import OfflineVerbs

/// `sallyport credentials`: the passwords and tokens of a sealed store.
struct CredentialsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credentials",
        abstract: "Keeps passwords and tokens in a sealed file.",
        subcommands: [
            CredentialsAddCommand.self, CredentialsListCommand.self, CredentialsRemoveCommand.self,
            CredentialsRekeyCommand.self, CredentialsImportCommand.self, CredentialsGitCommand.self,
        ]
    )

    /// Runs the work of a verb; writes its error as one line.
    static func run(_ verb: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let status as ExitCode {
            throw status
        } catch {
            throw end(verb, "\(error)", with: CommandExit.couldNotRun)
        }
    }

    /// Writes the error line of a verb, and returns its exit status.
    static func end(_ verb: String, _ problem: String, with status: ExitCode) -> ExitCode {
        StandardError.write("sallyport credentials \(verb): \(problem.inOneLine)\n")
        return status
    }
}
