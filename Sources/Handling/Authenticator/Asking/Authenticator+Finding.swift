package import ChallengeHandling
internal import CredentialSources
internal import CredentialStores
internal import Credentials
internal import HTTPAuthentication
internal import Secrets
internal import Synchronization

/// Where a missing credential is looked for: in the store, at the sources, and at the prompt.
extension Authenticator {
    /// A reply, and who gave it.
    typealias Reply = (reply: CredentialReply, source: CredentialAsk.Source)

    /// How often the store is read while a question is open: a person may keep the password with another program meanwhile.
    private static let storeInterval = Duration.seconds(2)

    /// Asks the store, the sources and the prompt, in this order.
    func find(
        _ asked: Asked,
        _ request: ChallengedRequest,
        _ handler: ChallengeHandler
    ) async throws -> AuthenticatorAdvice {
        let signOuts = state.withLock { $0.signOuts }
        if !asked.key.isForStoreOnly { try await refused(asked) }
        if try await findInStore(asked, request, signOuts) { return .repeatRequest }
        if asked.key.isForStoreOnly { return .deliver }
        let answer: Reply?
        do { answer = try await firstAnswer(to: asked, request, handler, signOuts) } catch {
            // The question has no answer. The store may have got one since it was read last.
            guard !(error is CancellationError), try await hasOtherAnswer(asked, request, handler, signOuts) else {
                throw error
            }
            return .repeatRequest
        }
        guard let (reply, source) = answer else { return .repeatRequest }
        switch reply {
        case .use(let credential):
            try install(credential, for: asked, request, from: source, signOuts)
            return .repeatRequest
        case .nothing, .goOnWithout:
            return try await hasOtherAnswer(asked, request, handler, signOuts) ? .repeatRequest : .deliver
        case .cancel:
            guard !isAnswered(request, handler) else { return .repeatRequest }
            throw AuthenticatorError.cancelled
        case .rejectSpace:
            let question = asked.question
            state.withLock {
                $0.reject(.init(party: question.party, origin: question.origin, realm: question.realm))
            }
            return .deliver
        }
    }

    /// The reply to a question, or `nil` if its answer came in another way while it was open: into the store, or with a new profile. Then
    /// the question is withdrawn.
    private func firstAnswer(
        to asked: Asked,
        _ request: ChallengedRequest,
        _ handler: ChallengeHandler,
        _ signOuts: UInt64
    ) async throws -> Reply? {
        let withdrawal = QuestionWithdrawal(within: .current)
        return try await withThrowingTaskGroup(of: Reply?.self) { group in
            group.addTask { [self] in
                try await QuestionWithdrawal.$current.withValue(withdrawal) {
                    try await reply(to: asked.question, account: asked.key.account)
                }
            }
            group.addTask { [self] in
                withdrawal.explain(try await otherAnswer(to: asked, request, handler, signOuts))
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Waits until a question needs no reply any more; returns why.
    private func otherAnswer(
        to asked: Asked,
        _ request: ChallengedRequest,
        _ handler: ChallengeHandler,
        _ signOuts: UInt64
    ) async throws -> String {
        while true {
            try await Task.sleep(for: Self.storeInterval)
            if isAnswered(request, handler) { return "another password is in use now" }
            if try await takeNew(asked, request, signOuts) { return "the store has a password now" }
        }
    }

    /// Whether the answer has come in another way while the question was open, also at the moment of its end.
    private func hasOtherAnswer(
        _ asked: Asked,
        _ request: ChallengedRequest,
        _ handler: ChallengeHandler,
        _ signOuts: UInt64
    ) async throws -> Bool {
        if isAnswered(request, handler) { return true }
        return try await takeNew(asked, request, signOuts)
    }

    /// Uses a password that has come into the store since the question began. A store that cannot be read now has none, and one that does not
    /// reply holds up nothing.
    private func takeNew(_ asked: Asked, _ request: ChallengedRequest, _ signOuts: UInt64) async throws -> Bool {
        let reading = try? await patiently {
            [self] in try await lookUp(asked)
        }
        guard let found = reading else { return false }
        // One event for each reading would be noise.
        _ = try await observed(.store, asked.question, asked.key.account) { Optional(found) }
        try install(found.credential, for: asked, request, from: .store, record: (found.name, found.written), signOuts)
        return true
    }

    /// The reply of the sources, or of the prompt if they have nothing.
    func reply(to question: CredentialQuestion, account: String?) async throws -> Reply {
        let reply =
            hasSources
            ? try await observed(.sources, question, account) { [self] in
                try await patiently { [sources] in
                    try await sources.reply(to: question)
                }
            } : .nothing
        guard case .nothing = reply, let prompt else { return (reply, .sources) }
        let answer = try await observed(.prompt, question, account) { [self] in
            try await visibly { try await prompt.reply(to: question) }
        }
        return (answer, .prompt)
    }

    private func findInStore(_ asked: Asked, _ request: ChallengedRequest, _ signOuts: UInt64) async throws -> Bool {
        guard store != nil else { return false }
        let found = try await observed(.store, asked.question, asked.key.account) { [self] in try await lookUp(asked) }
        guard let found else { return false }
        try install(found.credential, for: asked, request, from: .store, record: (found.name, found.written), signOuts)
        return true
    }

    /// An account of the store that is neither in use nor refused; `nil` without one.
    private func lookUp(_ asked: Asked) async throws -> FoundRecord? {
        guard let store else { return nil }
        let question = asked.question
        let space = space(for: question)
        var query = CredentialQuery(origin: question.origin, party: space.party, realm: question.realm)
        var records: [StoredCredential] = []
        if let path = space.path {
            query.paths = .only(path)
            records = try await store.credentials(for: query, at: clock())
            query.paths = .none
        }
        records += try await store.credentials(for: query, at: clock())
        // A record may have got another password since the one in use was read, for example by `sallyport credentials add`.
        let inUse = asked.key.account.flatMap { current.handler.prepared($0)?.account }
        for record in records {
            guard let password = record.credential?.password else { continue }
            let isSame = inUse?.isSame(as: record.name, password) ?? false
            let isNews = state.withLock { state in
                guard !state.isRefused(record.name, password, written: record.created) else { return false }
                return !isSame || state.isWrittenAnew(record.name, since: asked.key.account, at: record.created)
            }
            guard isNews else { continue }
            return FoundRecord(
                name: record.name,
                written: record.created,
                credential: SuppliedCredential(
                    user: record.name.user,
                    domain: record.name.domain,
                    password: password,
                    keep: .session
                )
            )
        }
        return nil
    }

    private struct FoundRecord {
        let name: CredentialName
        let written: Int64
        let credential: SuppliedCredential
    }
}

/// What a check says of an account.
extension Authenticator {
    /// Who brought the password of an account; `nil` if the profile itself has it.
    package func source(ofAccount name: String) -> CredentialAsk.Source? {
        state.withLock { $0.supplied[name]?.source }
    }

    /// Whether a store has passwords that the profile has not.
    package var hasStore: Bool { store != nil }
}

extension Account {
    /// Whether a record has the user, the domain and the password of the account.
    fileprivate func isSame(as name: CredentialName, _ password: SharedSecret) -> Bool {
        user == name.user && domain == name.domain && (credential.password.map { $0.isSame(as: password) } ?? false)
    }
}

extension SharedSecret {
    /// Whether both are the same text, in a time that depends on their lengths alone.
    func isSame(as other: SharedSecret) -> Bool {
        withBytes { bytes in other.withBytes { constantTimeEqual(bytes, $0) } }
    }
}
