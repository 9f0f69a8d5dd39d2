internal import ArgumentParser
internal import CredentialStores
internal import OfflineVerbs
internal import Sallyport

/// `sallyport identity list`: the identities of the store, without their keys.
struct IdentityListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Shows the identities of the store, without their keys.",
        discussion: "Exit status: 0 also if there is none, 2 could not run."
    )

    @OptionGroup var store: StoreOptions

    @Flag(help: "One JSON object a line: name, created, not_after.")
    var json = false

    func run() throws {
        try CommandExit.run("identity list") {
            let store = try store.open()
            let rows = try Blocking.run { try await store.list() }
                .filter { StoredIdentity.isIdentity($0.name) }.map(IdentityRow.init)
            try StandardOutput.write(rows.map { (json ? $0.json.text : $0.sentence) + "\n" }.joined())
        }
    }
}
