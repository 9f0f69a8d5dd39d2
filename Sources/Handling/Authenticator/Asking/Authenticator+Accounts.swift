public import ChallengeHandling
public import CredentialSources
internal import CredentialStores
internal import Credentials
internal import HTTPAuthentication
public import Hostnames
internal import Secrets
internal import Synchronization

extension Authenticator {
    /// Uses a credential at a place, for example one that the application has asked for itself. An account of that name is replaced.
    ///
    /// A place with narrower rules overrides accounts with wider ones, and leaves them as they are elsewhere.
    public func use(_ credential: SuppliedCredential, at place: AccountPlace) throws(ProfileError) {
        try use(place.assignment(of: credential)) { true }
    }

    /// Puts an account into the profile if `isWanted` still holds when the profile changes.
    func use(_ assignment: AccountAssignment, if isWanted: () -> Bool) throws(ProfileError) {
        try current.update(at: clock()) { profile in
            guard isWanted() else { return }
            let name = assignment.account.name
            if let index = profile.accounts.firstIndex(where: { $0.account.name == name }) {
                profile.accounts[index] = assignment
            } else {
                profile.accounts.append(assignment)
            }
        }
    }

    /// Asks the sources and the prompt for another credential of an account, which may have another user and domain.
    ///
    /// - Parameters:
    ///   - name: the account.
    ///   - origin: the server to name in the question.
    /// - Returns: whether a source gave one. If not, everything stays as it was.
    /// - Throws: `ProfileError` for an unknown account, ``AuthenticatorError``, `CancellationError`, or what a source throws.
    @discardableResult
    public func updateUserCredentials(account name: String, for origin: Origin) async throws -> Bool {
        guard let prepared = current.handler.prepared(name) else { throw ProfileError.unknownAccount(name) }
        let question = CredentialQuestion(origin: origin, user: prepared.account.qualifiedUser, wasRefused: true)
        let key = Asked.Key(
            party: question.party,
            origin: origin,
            realm: nil,
            place: name,
            account: name,
            passwordNumber: prepared.passwordNumber
        )
        let advice = try await calls.run(for: key) { [self] in
            let signOuts = state.withLock { $0.signOuts }
            let (reply, source) = try await reply(to: question, account: name)
            switch reply {
            case .use(let credential):
                let place = AccountPlace(of: prepared.assignment)
                try install(credential, at: place, question, from: source, record: nil, signOuts)
                return .repeatRequest
            case .cancel: throw AuthenticatorError.cancelled
            case .nothing, .goOnWithout, .rejectSpace: return .deliver
            }
        }
        return advice == .repeatRequest
    }

    // MARK: - Putting credentials into the profile

    /// The place that a request belongs to.
    func place(for request: ChallengedRequest) -> AccountPlace {
        if let place = places.place(for: request.origin, path: request.path) { return place }
        // A proxy and a server may have one origin.
        let name = request.party == .proxy ? "proxy \(request.origin)" : "\(request.origin)"
        var place = AccountPlace(name: name, sites: ["\(request.origin)"])
        (place.allowsCleartext, place.allowsUnbound) = (options.allowsCleartext, options.allowsUnbound)
        return place
    }

    /// Where a store keeps the answer to a question. A place for one path has records of its own, because the rest of the origin would
    /// find the password of a repository otherwise, and try it in vain.
    func space(for question: CredentialQuestion) -> CredentialSpace {
        guard question.party == .server, let path = question.path,
            let narrow = places.rulePath(for: question.origin, path: path)
        else { return .origin(question.origin, party: question.party == .proxy ? .proxy : .origin) }
        // As Git names a path, and `sallyport credentials` with --path.
        let trimmed = narrow.drop { $0 == "/" }.reversed().drop { $0 == "/" }.reversed()
        return .path(String(trimmed), of: question.origin)
    }

    func install(
        _ credential: SuppliedCredential,
        for asked: Asked,
        _ request: ChallengedRequest,
        from source: CredentialAsk.Source,
        record: (name: CredentialName, written: Int64)? = nil,
        _ signOuts: UInt64
    ) throws {
        var place = place(for: request)
        // A refused account gets the new password, unless a place of its own covers the request.
        if let name = asked.key.account, let prepared = current.handler.prepared(name),
            places.place(for: request.origin, path: request.path) == nil
        {
            place = AccountPlace(of: prepared.assignment)
        }
        // A person decides anew by a record that is written after a refusal, or by typing another password than the one that was refused last.
        let isAnew =
            switch source {
            case .store: record.map { record in state.withLock { $0.wasRefused(record.name) } } ?? false
            case .prompt: asked.key.account.map { !isInUse(credential.password, $0) } ?? false
            default: false
            }
        // After a sign-out nothing is installed, so nothing may be sent again either.
        guard state.withLock({ $0.signOuts }) == signOuts else { throw CancellationError() }
        if isAnew { current.handler.readmit(place.assignment(of: credential).account, to: request) }
        try install(credential, at: place, asked.question, from: source, record: record, signOuts)
    }

    /// Whether the account has this password.
    private func isInUse(_ password: SharedSecret, _ name: String) -> Bool {
        current.handler.prepared(name)?.account.credential.password?.isSame(as: password) ?? false
    }

    /// - Throws: `CancellationError` if there was a sign-out since the question, or `ProfileError`.
    private func install(
        _ credential: SuppliedCredential,
        at place: AccountPlace,
        _ question: CredentialQuestion,
        from source: CredentialAsk.Source,
        record: (name: CredentialName, written: Int64)?,
        _ signOuts: UInt64
    ) throws {
        let previous = current.handler.prepared(place.name)?.assignment
        let supplied = AuthenticatorState.Supplied(
            credential: credential,
            question: question,
            place: place,
            space: space(for: question),
            source: source,
            record: record?.name,
            written: record?.written,
            previous: previous
        )
        // Before the profile changes, so that a sign-out in between knows of the account.
        let isCurrent = state.withLock { state in
            guard state.signOuts == signOuts else { return false }
            // If a source gave the account before, the profile's own one is known already.
            let known = state.supplied[place.name]
            state.supplied[place.name] = supplied
            if let known { state.supplied[place.name]?.previous = known.previous }
            return true
        }
        guard isCurrent else { throw CancellationError() }
        try use(place.assignment(of: credential)) { state.withLock { $0.signOuts } == signOuts }
        guard case .until(let end) = credential.keep else { return }
        let expiry = expire(place.name, credential, after: end - clock())
        state.withLock { $0.expiries.updateValue(expiry, forKey: place.name)?.cancel() }
    }

    /// Takes the account of a source out of the profile, and puts back the one that it replaced.
    func takeBack(_ name: String) throws(ProfileError) {
        guard let supplied = state.withLock({ $0.supplied.removeValue(forKey: name) }) else { return }
        try takeBack([name: supplied.previous])
    }

    /// Takes accounts out of the profile.
    ///
    /// - Parameter previous: by name what each of them had replaced; `nil` for nothing.
    func takeBack(_ previous: [String: AccountAssignment?]) throws(ProfileError) {
        guard !previous.isEmpty else { return }
        try current.update(at: clock()) { profile in
            profile.accounts = profile.accounts.compactMap { assignment in
                guard let known = previous[assignment.account.name] else { return assignment }
                return known
            }
        }
    }

    /// Takes an account back after a time, unless it has another credential then.
    private func expire(_ name: String, _ credential: SuppliedCredential, after seconds: Int64) -> Task<Void, Never> {
        Task { [weak self] in
            do { try await Task.sleep(for: .seconds(max(0, seconds))) } catch { return }
            guard let self else { return }
            let isSame = state.withLock { $0.supplied[name]?.credential.password === credential.password }
            if isSame { try? takeBack(name) }
        }
    }
}
