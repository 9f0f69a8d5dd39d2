internal import ArgumentParser
internal import CredentialSources
internal import Foundation
internal import InternationalHostnames
internal import OfflineVerbs
internal import WireFormat

/// `sallyport credentials git get|store|erase`: a credential helper of Git (gitcredentials(7)).
struct CredentialsGitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "git",
        abstract: "Is a credential helper of Git.",
        discussion: """
            git config --global credential.helper '!sallyport credentials git --key-file FILE'. Git adds the operation and \
            talks over standard input and output. The helper answers for http and https, keeps what a server has accepted, \
            and forgets what a server has refused. With credential.useHttpPath each repository has a record of its own, \
            and records without a path are not for it. Exit status: 0 also without an answer, 2 could not run.
            """
    )

    @Argument(help: "get, store or erase; another operation does nothing, because Git may add some.")
    var operation: String

    @OptionGroup var store: StoreOptions

    func run() throws {
        try CommandExit.run("credentials git") {
            guard let operation = GitCredentialProtocol.Operation(rawValue: operation) else { return }
            let request = try Blocking.run { try await GitCredentialProtocol.readRequest(from: STDIN_FILENO) }
            // Before the store is opened, which may ask for a passphrase.
            guard let origin = request.question(hosts: .international)?.origin,
                operation != .store || (request.user != nil && request.password != nil)
            else { return }
            let helper = GitStoreHelper(store: try store.open(), now: SystemClock.unixSeconds)
            try Blocking.run {
                switch operation {
                case .get:
                    guard let answer = try await helper.answer(to: request, for: origin) else { return }
                    try await GitCredentialProtocol.write(answer, to: STDOUT_FILENO)
                case .store: try await helper.keep(request, for: origin)
                case .erase: try await helper.forget(request, for: origin)
                }
            }
        }
    }
}
