internal import ArgumentParser
internal import CredentialSources
internal import CredentialStores
internal import Hostnames
internal import OfflineVerbs
internal import WireFormat

/// `sallyport credentials import-netrc`: keeps the passwords of a netrc file.
struct CredentialsImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-netrc",
        abstract: "Keeps the passwords of a netrc file.",
        discussion: """
            An entry names a host without scheme and port, so its password is kept for all ports of the host with https, or \
            with the scheme of --scheme. Records that exist are skipped, unless --replace is given. The file stays as it is. \
            Exit status: 0 all entries were kept, 1 some were skipped, 2 could not run.
            """
    )

    @Argument(help: ArgumentHelp("The file, which only its owner may read; by default ~/.netrc.", valueName: "file"))
    var file: String?

    @OptionGroup var store: StoreOptions

    @Option(help: "The scheme for which the passwords are kept: https or http.", transform: Self.scheme)
    var scheme = Scheme.https

    @Flag(help: "Replace the passwords of records that exist.")
    var replace = false

    @Flag(help: "One JSON object for each entry: line, url, user, outcome, reason.")
    var json = false

    func run() throws {
        try CommandExit.run("credentials import-netrc") {
            let path: String
            if let file {
                path = file
            } else {
                guard let home = StorePlace.folder("HOME") else { throw StoreProblem.noHome }
                path = "\(home)/.netrc"
            }
            let netrc = try NetrcFile(readingFileAt: path)
            let (store, made) = try store.openOrMake {}
            if !json { try StandardOutput.write(made.map { "made \($0)\n" }.joined()) }
            var known = Set(try Blocking.run { try await store.list() }.map(\.name))
            var progress = ProgressLine(total: netrc.entries.count, unit: "entries")
            defer { progress.finish() }
            var isComplete = true
            for entry in netrc.entries {
                let outcome = try keep(entry, in: store, &known)
                isComplete = isComplete && outcome.reason == nil
                try StandardOutput.write(json ? outcome.json.text + "\n" : outcome.line)
                progress.advance(by: 1)
            }
            if !isComplete { throw CommandExit.answerWasNo }
        }
    }

    private func keep(
        _ entry: NetrcFile.Entry,
        in store: any CredentialStore,
        _ known: inout Set<CredentialName>
    ) throws -> ImportedEntry {
        guard let machine = entry.machine else { return ImportedEntry(entry, reason: "it names no host") }
        guard let host = entry.host else {
            return ImportedEntry(entry, reason: "\(machine.debugDescription) is not the name of a host")
        }
        guard let login = entry.login, !login.isEmpty else { return ImportedEntry(entry, reason: "it has no login") }
        guard let password = entry.password else { return ImportedEntry(entry, reason: "it has no password") }
        let user = Login(login)
        let name = CredentialName(space: .host(host, scheme: scheme), user: user.user, domain: user.domain)
        guard replace || !known.contains(name) else {
            return ImportedEntry(entry, name, reason: "the store has a record of it; --replace replaces it")
        }
        let credential = StoredCredential(name: name, secret: password, created: SystemClock.unixSeconds)
        if let problem = credential.problem { return ImportedEntry(entry, name, reason: "\(problem)") }
        try Blocking.run { try await store.save(credential) }
        known.insert(name)
        return ImportedEntry(entry, name)
    }

    private static func scheme(_ text: String) throws -> Scheme {
        guard let scheme = Scheme(rawValue: text) else { throw ValidationError("The scheme is https or http.") }
        return scheme
    }
}

/// What became of one entry of a netrc file.
struct ImportedEntry {
    /// Why it was skipped; `nil` if it was kept.
    let reason: String?
    private let number: Int
    private let url: String?
    private let user: String?

    init(_ entry: NetrcFile.Entry, _ name: CredentialName? = nil, reason: String? = nil) {
        self.reason = reason
        number = entry.line
        url = name.map { "\($0.space.origin)" }
        user = entry.login
    }

    /// One line with its ending. The login of an entry without a host is not shown.
    var line: String {
        guard let url, let user, reason == nil else {
            return "line \(number): skipped, because \((reason ?? "").inOneLine)\n"
        }
        return "line \(number): kept the password of \(user.inOneLine) for \(url), all ports\n"
    }

    /// One object, without a line ending.
    var json: JSONValue {
        .object([
            ("line", .integer(UInt64(number))), ("url", JSONValue(url)), ("user", JSONValue(user)),
            ("outcome", .string(reason == nil ? "kept" : "skipped")), ("reason", JSONValue(reason)),
        ])
    }
}
