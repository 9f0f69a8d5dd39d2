internal import ArgumentParser
internal import OfflineVerbs

/// `sallyport identity`: client certificates with their keys.
struct IdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Shows client certificates with their keys, and keeps them in a sealed file.",
        subcommands: [
            IdentityShowCommand.self, IdentityImportCommand.self, IdentityListCommand.self,
            IdentityRemoveCommand.self,
        ]
    )
}

/// Why the arguments name no identity.
enum IdentityArgumentProblem: Error, Equatable {
    case noName
    case nameTaken(String)
}

extension IdentityArgumentProblem: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String {
        switch self {
        case .noName: "--name: the identity needs a name: give one in UTF-8"
        case .nameTaken(let name):
            "\(name.debugDescription): the store has an identity of this name: give --replace, or another --name"
        }
    }
}
