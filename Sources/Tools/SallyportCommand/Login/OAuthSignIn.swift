internal import CredentialStores
internal import NIOCore
internal import OAuth
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import SallyportClient
internal import Secrets
internal import TokenProofs
internal import WireFormat

/// The sign-in of one account at its OAuth service.
struct OAuthSignIn: Sendable {
    let account: OAuthAccount
    let accounts: TokenAccounts
    let store: any CredentialStore
    /// Whether the browser is on another device.
    let isOnDevice: Bool
    /// Whether the browser is started.
    let opensBrowser: Bool
    /// How many seconds a person may take; `nil` without an option.
    let wait: Int?
    let json: Bool

    /// What proves the client to its service.
    private struct Party: Sendable {
        let client: OAuthClient
        let keys: ClientKeys
        let metadata: ServerMetadata
        let send: OAuthTokenSource.Sender
        private let sender: ProvenSender

        init(
            _ client: OAuthClient,
            _ keys: ClientKeys,
            _ metadata: ServerMetadata,
            send: @escaping OAuthTokenSource.Sender
        ) {
            (self.client, self.keys, self.metadata, self.send) = (client, keys, metadata, send)
            sender = ProvenSender(keys, clock: { SystemClock.unixSeconds }, send: send)
        }

        /// The response to a request of the client, with its proofs.
        func answer(_ make: ProvenSender.Making) async throws -> TokenResponse {
            try await sender.answer(by: client, make)
        }
    }

    /// Gets and keeps the tokens; returns what is kept.
    func run() async throws -> (KeptToken, hasRefresh: Bool) {
        guard let issuer = account.issuer else {
            let found = try await accounts.discovery.issuer(of: account.wish.resources[0])
            throw TokenProblem.issuerFound(account.name, issuer: found.path == "/" ? "\(found.origin)" : "\(found)")
        }
        var keys = try accounts.keys(of: account, issuer)
        // Of this sign-in alone, so that tokens of an earlier one are of no use with it.
        if account.bindsTokens { keys.proof = ES256Key() }
        let metadata: ServerMetadata
        do {
            metadata = try await accounts.metadata(of: account, issuer)
        } catch let error as TokenServiceError {
            throw TokenProblem.noDescription(issuer: "\(issuer)", reason: "\(error)")
        }
        let typed = try await typedSecret(issuer)
        let client: OAuthClient
        if let typed {
            client = OAuthClient(
                id: account.client,
                authentication: account.isSecretInBody ? .post(typed) : .basic(typed),
                tokenEndpoint: metadata.tokenEndpoint,
                dialect: account.dialect
            )
        } else {
            client = try await accounts.client(of: account, issuer, metadata)
        }
        let service = accounts.service
        let grant = try await grant(Party(client, keys, metadata) { try await service.send($0) })
        if let typed {
            // After the service has taken it.
            let name = TokenAccounts.secretName(of: account, issuer)
            try await store.save(StoredCredential(name: name, secret: typed, created: SystemClock.unixSeconds))
        }
        try await accounts.source(of: account).signedIn(grant, key: keys.proof)
        let access = grant.access.proven(by: keys.proof.map { TokenProver($0) })
        return (KeptToken(access, issuer: "\(issuer)"), grant.refresh != nil)
    }

    /// The secret of the application that a person types, if it belongs into the store and is not there; otherwise `nil`.
    private func typedSecret(_ issuer: ServiceURL) async throws -> SharedSecret? {
        guard case .secret(.store, _) = account.proof, try await accounts.keptSecret(of: account, issuer) == nil else {
            return nil
        }
        return try await TypedSecret.typed(
            "secret of the client \(account.client.inOneLine) at \(issuer)",
            else: "keep it with sallyport credentials add --stdin"
        )
    }

    private func grant(_ party: Party) async throws -> TokenGrant {
        switch isOnDevice ? .device : account.grant {
        case .clientCredentials:
            let now = SystemClock.unixSeconds
            let wish = account.wish
            let response = try await party.answer { $0.clientCredentials(wish) }
            return try party.client.grant(from: response, at: now)
        case .device:
            guard let endpoint = party.metadata.deviceEndpoint else { throw TokenProblem.noDevicePage(account.name) }
            let (isJSON, wish) = (json, account.wish)
            return try await Self.within(wait) {
                try await DeviceAuthorization.signIn(
                    party.client,
                    at: endpoint,
                    wish,
                    keys: party.keys,
                    send: party.send,
                    notice: { StandardError.write("sallyport login: \($0)\n") },
                    show: { try StandardOutput.write(LoginText.device($0, json: isJSON)) }
                )
            }
        case .code: return try await codeGrant(party)
        }
    }

    /// Ends the sign-in after `seconds`; without them it ends with its code.
    private static func within(
        _ seconds: Int?,
        _ signIn: @escaping @Sendable () async throws -> TokenGrant
    ) async throws -> TokenGrant {
        guard let seconds else { return try await signIn() }
        return try await withThrowingTaskGroup(of: TokenGrant.self) { group in
            group.addTask(operation: signIn)
            group.addTask {
                try await Task.sleep(for: .seconds(seconds))
                throw TokenProblem.notDecided(seconds: seconds)
            }
            defer { group.cancelAll() }
            guard let grant = try await group.next() else { throw CancellationError() }
            return grant
        }
    }

    private func codeGrant(_ party: Party) async throws -> TokenGrant {
        let service = try AuthorizationRequest.Service(party.metadata)
        let wait = wait ?? LoginCommand.usualSeconds
        let listener = try await RedirectListener.start(at: account.redirect ?? RedirectListener.standardRedirect)
        let authorization = AuthorizationRequest(
            party.client,
            service,
            redirect: listener.redirect,
            wish: account.wish
        )
        do {
            let (url, seconds) = try await address(of: authorization, party)
            try StandardOutput.write(LoginText.browser(url, seconds: min(wait, seconds), json: json))
            if opensBrowser { try LoginBrowser.open(url) }
        } catch {
            await listener.close()
            throw error
        }
        let code = try await listener.code(for: authorization, limit: .seconds(Int64(wait)))
        let now = SystemClock.unixSeconds
        let response = try await party.answer { authorization.tokenRequest(for: code, by: $0) }
        let grant = try party.client.grant(from: response, at: now)
        try authorization.check(grant)
        return grant
    }

    /// The address for the browser, and for how many seconds it can be opened.
    private func address(of authorization: AuthorizationRequest, _ party: Party) async throws -> (String, Int) {
        let metadata = party.metadata
        // Without a proof of the client the service knows no more of a pushed authorization than of one in a browser.
        guard metadata.requiresPushedRequests || account.provesItself && metadata.pushedRequestEndpoint != nil else {
            return (authorization.url, .max)
        }
        guard let endpoint = metadata.pushedRequestEndpoint else {
            throw metadata.absence(of: "pushed_authorization_request_endpoint")
        }
        // The service also binds the code to the key of the proof (RFC 9449 section 10.1).
        let response = try await party.answer { authorization.pushedRequest(to: endpoint, by: $0) }
        let pushed = try authorization.pushedURL(response)
        return (pushed.url, Int(pushed.seconds))
    }
}

extension OAuthAccount {
    fileprivate var isSecretInBody: Bool {
        if case .secret(_, inBody: true) = proof { true } else { false }
    }

    /// Whether the service knows that the application is what it says.
    fileprivate var provesItself: Bool {
        if case .none = proof { false } else { true }
    }
}
