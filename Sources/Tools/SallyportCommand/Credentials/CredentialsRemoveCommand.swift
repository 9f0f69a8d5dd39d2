internal import ArgumentParser
internal import CredentialStores
internal import Hostnames
internal import OfflineVerbs

/// `sallyport credentials remove`: forgets the secrets of one user for one server.
struct CredentialsRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes what is kept for a server and a user.",
        discussion: """
            Without --realm, --path and --kind, the records of all realms, paths and kinds. Exit status: 0 something was \
            removed, 1 nothing matched, 2 could not run.
            """
    )

    @OptionGroup var record: RecordOptions

    @Option(help: "Only this kind, such as password, nt-hash or token.")
    var kind: String?

    @OptionGroup var store: StoreOptions

    @Flag(help: "One JSON object a line: what was removed.")
    var json = false

    func run() throws {
        try CommandExit.run("credentials remove") {
            let origin = try record.origin()
            let store = try store.open()
            let listings = try Blocking.run { try await store.list() }.filter { isMeant($0.name, at: origin) }
            var removed = 0
            for listing in listings {
                // Another process may have removed it meanwhile.
                guard try Blocking.run({ try await store.remove(listing.name) }) else { continue }
                removed += 1
                let row = StoredRow(listing)
                try StandardOutput.write(json ? row.json.text + "\n" : "removed \(row.sentence)\n")
            }
            guard removed > 0 else {
                StandardError.complain(
                    "credentials remove",
                    "\(origin): no record of this user matches: see sallyport credentials list"
                )
                throw CommandExit.answerWasNo
            }
        }
    }

    private func isMeant(_ name: CredentialName, at origin: Origin) -> Bool {
        let space = name.space
        guard space.origin == origin, space.party == (record.proxy ? .proxy : .origin) else { return false }
        guard Login(name) == record.login else { return false }
        if let realm = record.realm {
            guard space.reach == .realm, space.realm?.utf8.elementsEqual(realm.utf8) == true else { return false }
        }
        if let path = record.trimmedPath, space.path?.utf8.elementsEqual(path.utf8) != true { return false }
        return kind.map { $0.utf8.elementsEqual(name.kind.rawValue.utf8) } ?? true
    }
}
