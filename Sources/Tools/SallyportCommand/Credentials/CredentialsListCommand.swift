internal import ArgumentParser
internal import CredentialStores
internal import Hostnames
internal import OfflineVerbs

/// `sallyport credentials list`: what a store holds, without the secrets.
struct CredentialsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Shows what the store holds, without the secrets.",
        discussion: "Exit status: 0 also if the store is empty, 2 could not run."
    )

    @OptionGroup var store: StoreOptions

    @Flag(help: "One JSON object a line: url, party, reach, realm, path, user, domain, kind, created, expires.")
    var json = false

    func run() throws {
        try CommandExit.run("credentials list") {
            let store = try store.open()
            let listings = try Blocking.run { try await store.list() }
            let text =
                json
                ? listings.map { StoredRow($0).json.text + "\n" }.joined()
                : StoredRow.table(listings.map(StoredRow.init))
            try StandardOutput.write(text)
        }
    }
}
