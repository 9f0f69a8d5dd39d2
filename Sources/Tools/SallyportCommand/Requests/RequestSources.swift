internal import CredentialSources
internal import CredentialStores
internal import Credentials
internal import Secrets
internal import WireFormat

/// Asks another source for one user of a server and one of a proxy.
struct NamedUserSource: CredentialSource {
    let base: any CredentialSource
    /// The user for the server; `nil` for any.
    let user: String?
    let proxyUser: String?

    func reply(to question: CredentialQuestion) async throws -> CredentialReply {
        try await base.reply(to: named(question))
    }

    func learn(
        _ outcome: CredentialOutcome,
        of credential: SuppliedCredential,
        for question: CredentialQuestion
    ) async throws {
        try await base.learn(outcome, of: credential, for: named(question))
    }

    private func named(_ question: CredentialQuestion) -> CredentialQuestion {
        var question = question
        question.user = (question.party == .proxy ? proxyUser : user) ?? question.user
        return question
    }
}

/// Answers from a sealed store, which is opened at the first question: a request without a challenge needs no passphrase.
///
/// After a refusal it has nothing.
actor StoreSource: CredentialSource {
    private let path: String
    private let key: StoreKey?
    private var store: SealedFileStore?

    init(path: String, key: StoreKey?) {
        self.path = path
        self.key = key
    }

    func reply(to question: CredentialQuestion) async throws -> CredentialReply {
        guard !question.wasRefused else { return .nothing }
        let store = try await opened()
        let login = question.user.map { Login($0) }
        let query = CredentialQuery(
            origin: question.origin,
            party: question.party == .proxy ? .proxy : .origin,
            realm: question.realm,
            user: login?.user,
            domain: login?.domain,
            kind: .password
        )
        guard let record = try await store.credentials(for: query, at: Clock.now).first else { return .nothing }
        return .use(
            SuppliedCredential(
                user: record.name.user,
                domain: record.name.domain,
                password: record.secret,
                keep: .session
            )
        )
    }

    private func opened() async throws -> SealedFileStore {
        if let store { return store }
        let opened = try await StoreOptions.open(path, key)
        store = opened
        return opened
    }
}

extension AccountOptions {
    /// The sources, in the order in which they are asked. A default store or netrc file may be missing.
    func sources(_ proxies: ProxyChoice) throws -> [any CredentialSource] {
        var sources: [any CredentialSource] = proxies.withLogin.compactMap { proxy in
            proxy.login.map { login in
                FixedCredentialSource(
                    user: .text(login.user),
                    password: .value(login.password),
                    for: [proxy.origin],
                    party: .proxy
                )
            }
        }
        if netrc || netrcFile != nil { sources.append(NetrcSource(path: netrcFile)) }
        if git { sources.append(GitCredentialHelper()) }
        if !noStore, let path = try storePath() { sources.append(StoreSource(path: path, key: store.givenKey)) }
        return sources.map { NamedUserSource(base: $0, user: user, proxyUser: proxyUser) }
    }

    /// Asks a person; `nil` if no person is to be asked.
    var prompt: (any CredentialSource)? {
        noPrompt ? nil : NamedUserSource(base: TerminalPrompt(), user: user, proxyUser: proxyUser)
    }

    /// The path of the store; `nil` if no option names one and the default one does not exist.
    private func storePath() throws -> String? {
        if store.file != nil || store.givenKey != nil {
            let path = try store.path()
            // Before the request, because a wrong option is an error of the command.
            guard FileReading.isTaken(path) else { throw StoreProblem.missing(path) }
            return path
        }
        // A person would be asked for its passphrase.
        guard !noPrompt, let path = StorePlace.standard, FileReading.isTaken(path) else { return nil }
        return path
    }
}
