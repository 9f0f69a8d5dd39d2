internal import ArgumentParser
internal import OfflineVerbs

/// `sallyport credentials`: the passwords and tokens of a store.
struct CredentialsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credentials",
        abstract: "Keeps passwords and tokens in a sealed file, or in the desktop's keyring.",
        subcommands: [
            CredentialsAddCommand.self, CredentialsListCommand.self, CredentialsRemoveCommand.self,
            CredentialsRekeyCommand.self, CredentialsImportCommand.self, CredentialsGitCommand.self,
        ]
    )
}
