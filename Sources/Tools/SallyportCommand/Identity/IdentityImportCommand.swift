internal import ArgumentParser
internal import ClientCertificates
internal import CredentialStores
internal import Credentials
internal import OfflineVerbs
internal import Sallyport
internal import WireFormat

/// `sallyport identity import`: keeps a client certificate with its chain and key.
struct IdentityImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Keeps a client certificate with its chain and key in the sealed store.",
        discussion: """
            Neither the file nor its passphrase is needed afterwards. The terminal asks for the passphrase without echo; \
            --stdin and --passphrase-file read it elsewhere. The first record makes the store, and the file of --key-file \
            too. Exit status: 0 the identity is kept, 2 could not run.
            """
    )

    @OptionGroup var files: IdentityFileOptions

    @Option(help: "The name of the identity in the store; by default the subject of its certificate.")
    var name: String?

    @Flag(help: "Replace an identity of the same name.")
    var replace = false

    @OptionGroup var store: StoreOptions

    @Flag(help: "One JSON object: what was kept.")
    var json = false

    func run() throws {
        try CommandExit.run("identity import") {
            if let name { guard !name.isEmpty, SystemPath.isUTF8(name) else { throw IdentityArgumentProblem.noName } }
            // Before the store is opened, so that a wrong file makes none.
            let identity = try read()
            guard let record = StoredIdentity.record(of: identity, created: SystemClock.unixSeconds) else { return }
            if let problem = record.problem {
                throw CredentialStoreError(place: files.file.inOneLine, problem: problem)
            }
            let (store, made) = try store.openOrMake {}
            let known = try Blocking.run { try await store.list() }
            guard replace || !known.contains(where: { $0.name == record.name }) else {
                throw IdentityArgumentProblem.nameTaken(record.name.user)
            }
            try Blocking.run { try await store.save(record) }
            let row = IdentityRow(record.listing)
            if json { return try StandardOutput.write(row.json.text + "\n") }
            try StandardOutput.write(made.map { "made \($0)\n" }.joined() + "kept \(row.sentence)\n")
        }
    }

    private func read() throws -> KeyedIdentity {
        let read = try files.read(name: name ?? "identity")
        guard name == nil else { return read }
        let subject = try IdentityCandidate(read.identity).subject
        return try KeyedIdentity(name: subject, certificates: read.identity.certificateChain, key: read.key)
    }
}

/// What is shown of a kept identity.
struct IdentityRow {
    private let listing: CredentialListing

    init(_ listing: CredentialListing) { self.listing = listing }

    private var end: String { listing.expires.map { Timestamp.text(unixSeconds: $0 - 1) } ?? "for ever" }

    /// One object, without a line ending.
    var json: JSONValue {
        .object([
            ("name", .string(listing.name.user)), ("created", .string(Timestamp.text(unixSeconds: listing.created))),
            ("not_after", JSONValue(listing.expires.map { Timestamp.text(unixSeconds: $0 - 1) })),
        ])
    }

    /// What stands after a verb.
    var sentence: String { "the identity \(listing.name.user.debugDescription.inOneLine), valid until \(end)" }
}
