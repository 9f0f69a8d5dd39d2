internal import ArgumentParser
internal import OfflineVerbs
internal import Sallyport

/// `sallyport identity remove`: forgets an identity of the store.
struct IdentityRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes an identity from the store.",
        discussion: "Exit status: 0 it was removed, 1 the store has none of this name, 2 could not run."
    )

    @Argument(help: "The name, as sallyport identity list shows it.")
    var name: String

    @OptionGroup var store: StoreOptions

    func run() throws {
        try CommandExit.run("identity remove") {
            guard let record = StoredIdentity.name(of: name) else { throw IdentityArgumentProblem.noName }
            let store = try store.open()
            guard try Blocking.run({ try await store.remove(record) }) else {
                StandardError.complain(
                    "identity remove",
                    "\(name.debugDescription): the store has no such identity: see sallyport identity list"
                )
                throw CommandExit.answerWasNo
            }
            try StandardOutput.write("removed the identity \(name.debugDescription.inOneLine)\n")
        }
    }
}
