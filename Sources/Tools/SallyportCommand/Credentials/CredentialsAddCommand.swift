internal import ArgumentParser
internal import CredentialStores
internal import Credentials
internal import OfflineVerbs
internal import Secrets
internal import WireFormat

/// `sallyport credentials add`: keeps one secret.
struct CredentialsAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Keeps a password, an NT hash or a token.",
        discussion: """
            The terminal asks for the secret without echo; --stdin and --secret-file read it elsewhere. The first secret \
            makes the store, and the file of --key-file too. A record of the same server, realm, user and kind is replaced. \
            Exit status: 0 the secret is kept, 2 could not run.
            """
    )

    @OptionGroup var record: RecordOptions

    @Option(help: "What the secret is: password, nt-hash, token, or client-secret of an OAuth client at its issuer.")
    var kind = SecretKind.password

    @OptionGroup var secret: SecretOptions

    @OptionGroup var store: StoreOptions

    @Flag(help: "One JSON object: what was kept.")
    var json = false

    func run() throws {
        try CommandExit.run("credentials add") {
            let space = try record.space()
            let login = record.login
            // Before the secret is asked for.
            if let defect = LoginDefect(record.user) { throw RecordProblem.user(defect) }
            guard kind == .token || !login.user.isEmpty else { throw RecordProblem.noUser }
            let name = CredentialName(space: space, user: login.user, domain: login.domain, kind: kind.kind)
            var read: SharedSecret?
            let (store, made) = try store.openOrMake {
                let whose = login.user.isEmpty ? "" : " of \(VisibleText.name(login.text))"
                read = try secret.read(kind, wanted: "\(kind.title)\(whose) for \(space.origin)")
            }
            guard let read else { return }
            let credential = StoredCredential(name: name, secret: read, created: SystemClock.unixSeconds)
            try Blocking.run { try await store.save(credential) }
            let row = StoredRow(credential.listing)
            if json { return try StandardOutput.write(row.json.text + "\n") }
            try StandardOutput.write(made.map { "made \($0)\n" }.joined() + "kept \(row.sentence)\n")
        }
    }
}
