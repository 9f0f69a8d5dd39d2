internal import OAuth
internal import Secrets
internal import TokenProofs

/// How the source gets its next token: from the store, or from the service.
extension OAuthTokenSource {
    func renewal(replacing old: SharedSecret?) -> Task<AccessToken?, any Error> {
        if let running { return running }
        let task = Task<AccessToken?, any Error> {
            defer { running = nil }
            // Two processes would use one refresh token twice, for which services take back all tokens of the sign-in.
            return try await records.alone { try await renewed(replacing: old) }
        }
        running = task
        return task
    }

    /// The tokens of a sign-in in place of all others.
    ///
    /// - Parameter key: what they are bound to, if the store keeps that.
    func exchanged(for grant: TokenGrant, _ key: ES256Key?) async throws -> AccessToken {
        try await records.alone {
            // Those of an earlier sign-in belong to another grant, and perhaps to another user. They go first, so that an end of the process
            // leaves none of them beside one of these.
            (access, unsaved, signIn) = (nil, nil, clock())
            try await records.removeAccess()
            // A refresh token of another key is of no use.
            if grant.refresh == nil || key != nil { try await records.removeRefresh() }
            if let key {
                try await records.save(key: key)
                use(key)
            }
            return try await keep(grant, replacing: nil) { throw $0 }
        }
    }

    private func renewed(replacing old: SharedSecret?) async throws -> AccessToken? {
        let end = try await signInEnd()
        // Each time anew, because the user may have signed in again by another process.
        if keepsKey, let key = try await records.key() { use(key) }
        if let old, let only = try await onlyToken(), only.secret.isSame(as: old), only.isValid(at: clock()) {
            // It may open other pages than the one that refused it.
            access = only
            return nil
        }
        // It was refused or has ended, so it is not used again if the service has no other one.
        let last = access?.secret
        access = nil
        if let kept = try await usableToken()?.ending(by: end) {
            // Of an earlier run of the program, or of another process that has replaced the token meanwhile.
            if kept.isValid(at: clock()), ![old, last].contains(where: { $0?.isSame(as: kept.secret) ?? false }) {
                access = kept
                return kept
            }
            try await records.removeAccess()
        }
        switch grant {
        case .clientCredentials:
            if keepsKey, try await records.key() == nil {
                let key = ES256Key()
                try await records.save(key: key)
                use(key)
            }
            return try await granted(by: service().client, replacing: nil) { $0.clientCredentials(wish) }
        case .refreshToken: return try await refreshed()
        }
    }

    /// The token in use or in the store; `nil` if the service can give another one without a new sign-in.
    private func onlyToken() async throws -> AccessToken? {
        guard grant == .refreshToken, try await refreshToken() == nil else { return nil }
        if let access { return access }
        return try await usableToken()
    }

    /// The access token in the store, if it is bound to the key in use. Without a key it is a bearer token.
    private func usableToken() async throws -> AccessToken? {
        guard let kept = try await storedToken(), kept.thumbprint == prover?.thumbprint else { return nil }
        return kept.access.proven(by: prover)
    }

    /// Binds the tokens from now on to a key.
    private func use(_ key: ES256Key) {
        guard prover?.thumbprint != key.thumbprint else { return }
        var keys = keys
        keys.proof = key
        sender = ProvenSender(keys, clock: clock, send: send)
        prover = TokenProver(key)
    }

    /// The service; looked for until it is found once.
    func service() async throws -> OAuthService {
        if let found { return found }
        let service = try await find()
        found = service
        return service
    }

    private func refreshed() async throws -> AccessToken {
        guard let first = try await refreshToken() else { throw OAuthTokenError.notSignedIn(name) }
        // Of a sign-in without a key. A proof of any other one would bind the tokens to that.
        if keepsKey, try await records.key() == nil { throw OAuthTokenError.noKey(name) }
        let client = try await service().client
        do {
            return try await granted(by: client, replacing: first) { $0.refresh(first, wish) }
        } catch TokenServiceError.refused(let refusal) where refusal.code == .invalidGrant {
            // Another process with the same store may have used the token, and stored the next one.
            guard let next = try await refreshToken(), !next.isSame(as: first) else {
                // The service never takes it again.
                try await records.removeRefresh()
                throw TokenServiceError.refused(refusal)
            }
            return try await granted(by: client, replacing: next) { $0.refresh(next, wish) }
        }
    }

    private func granted(
        by client: OAuthClient,
        replacing refresh: SharedSecret?,
        _ make: ProvenSender.Making
    ) async throws -> AccessToken {
        // Before the request, so that a slow response does not lengthen the token's life.
        let now = clock()
        let grant = try client.grant(from: await sender.answer(by: client, make), replacing: refresh, at: now)
        // A service that ignores proofs would leave a token that everybody can use (RFC 9449 section 5).
        if sender.key != nil, grant.access.kind != .dpop { throw OAuthTokenError.notBound(name) }
        // The request for which it was granted does not end with the store's error, because the next run of the program can get another token.
        return try await keep(grant, replacing: refresh) { unkept?($0) }
    }

    /// Stores the refresh token, and only then lets the access token be used.
    ///
    /// - Parameter failed: called with the store's error if the access token cannot be kept.
    private func keep(
        _ grant: TokenGrant,
        replacing refresh: SharedSecret?,
        _ failed: (any Error) throws -> Void
    ) async throws -> AccessToken {
        if let next = grant.refresh, refresh.map({ !$0.isSame(as: next) }) ?? true {
            unsaved = next
            try await save(next)
        }
        guard let granted = wish.wantsIDToken ? grant.identity : grant.access else {
            throw OAuthTokenError.noIDToken(name)
        }
        let requiresTLS = requiresTLS
        let token = AccessToken(
            granted.secret,
            kind: granted.kind,
            expiry: granted.expiry,
            scope: granted.scope,
            requiresTLS: granted.requiresTLS && requiresTLS,
            prover: prover
        )
        // The limit is that of the user, so it also ends the tokens of later refreshes.
        .ending(by: signInLimit.flatMap { limit in signIn.map { $0 + limit } })
        access = token
        do { try await records.save(token) } catch { try failed(error) }
        return token
    }
}
