internal import CredentialSources
internal import CredentialStores
internal import Credentials
internal import Secrets
internal import WireFormat

/// Gets to know that a source had a password: its name, the user, and the question.
typealias RequestReport = @Sendable (String, String, CredentialQuestion) -> Void

/// Asks another source for one user of a server and one of a proxy, and says what it had.
struct NamedUserSource: CredentialSource {
    let base: any CredentialSource
    /// What the source is called.
    let place: String
    let report: RequestReport
    /// The user for the server; `nil` for any.
    let user: String?
    let proxyUser: String?

    func reply(to question: CredentialQuestion) async throws -> CredentialReply {
        let reply = try await base.reply(to: named(question))
        if case .use(let credential) = reply { report(place, credential.login, question) }
        return reply
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
        let named = question.party == .proxy ? proxyUser : user
        // After a refusal the name may be one that a person has corrected.
        question.user = question.wasRefused ? question.user ?? named : named ?? question.user
        return question
    }
}

/// Answers from a store, which is opened at the first question: a request without a challenge needs no passphrase.
///
/// After a refusal it has nothing.
struct StoreSource: CredentialSource {
    let store: Once<any CredentialStore>

    func reply(to question: CredentialQuestion) async throws -> CredentialReply {
        guard !question.wasRefused else { return .nothing }
        let store = try await store.value
        let login = question.user.map { Login($0) }
        let query = CredentialQuery(
            origin: question.origin,
            party: question.party == .proxy ? .proxy : .origin,
            realm: question.realm,
            user: login?.user,
            domain: login?.domain,
            kind: .password
        )
        guard let record = try await store.credentials(for: query, at: SystemClock.unixSeconds).first else {
            return .nothing
        }
        return .use(
            SuppliedCredential(
                user: record.name.user,
                // The domain that the user writes counts, also an empty one for a record without a domain.
                domain: login?.domain ?? record.name.domain,
                password: record.secret,
                keep: .session
            )
        )
    }
}

extension RequestArguments {
    /// The sources, in the order in which they are asked. A default store or netrc file may be missing.
    ///
    /// - Parameters:
    ///   - store: that of ``openingStore()``.
    ///   - report: gets to know who had a password.
    func sources(
        _ proxies: ProxyChoice,
        _ store: Once<any CredentialStore>?,
        _ report: @escaping RequestReport
    ) throws -> [NamedUserSource] {
        if account.kerberos { return [] }
        var sources = proxies.withLogin.compactMap { proxy in
            proxy.login.map { login in
                account.named(
                    FixedCredentialSource(
                        user: .text(login.user),
                        password: .value(login.password),
                        for: [proxy.origin],
                        party: .proxy
                    ),
                    "the variable \(proxy.place)",
                    report
                )
            }
        }
        if account.netrc || account.netrcFile != nil {
            let file = account.netrcFile
            sources.append(account.named(NetrcSource(path: file), file ?? "~/.netrc", report))
        }
        if account.git { sources.append(account.named(GitCredentialHelper(), "git", report)) }
        if let store {
            sources.append(account.named(StoreSource(store: store), try self.store.title(), report))
        }
        return sources
    }

    /// The store of the request, which is opened when its passwords, tokens or certificates are needed first; `nil` without one. A person
    /// types its passphrase once.
    func openingStore() throws -> Once<any CredentialStore>? {
        guard try hasStore() else { return nil }
        return try Once(store.opening(isOptional: !store.isNamed && certificate.kept == nil))
    }

    /// Whether an option names a store, or the default one exists.
    private func hasStore() throws -> Bool {
        guard !account.noStore else { return false }
        if store.keyring { return true }
        if store.isNamed {
            let path = try store.path()
            // Before the request, because a wrong option is an error of the command.
            guard FileReading.isTaken(path) else { throw StoreProblem.missing(path) }
            return true
        }
        // A person would be asked for its passphrase.
        guard !account.noPrompt, let path = StorePlace.standard else { return false }
        return FileReading.isTaken(path)
    }
}

extension AccountOptions {
    /// Asks a person; `nil` if no person is to be asked, or if a ticket answers.
    func prompt(_ report: @escaping RequestReport) -> NamedUserSource? {
        noPrompt || kerberos ? nil : named(TerminalPrompt(), "the terminal", report)
    }

    fileprivate func named(
        _ base: any CredentialSource,
        _ place: String,
        _ report: @escaping RequestReport
    ) -> NamedUserSource {
        NamedUserSource(base: base, place: place, report: report, user: user, proxyUser: proxyUser)
    }
}
