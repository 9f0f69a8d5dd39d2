internal import CredentialSources
internal import Hostnames
internal import OAuth
internal import WireFormat

/// Reads an account whose tokens come from an OAuth service.
struct OAuthReader {
    let accounts: AccountReader

    /// The account; `nil` for one with a secret of its own.
    func account(_ node: ProfileNode) throws(ProfileFileError) -> OAuthAccount? {
        guard node.has("oauth") else { return nil }
        let fields = try node.mapping(known: ["name", "oauth", "sites", "cleartext"] + TokenPlacementReader.fields)
        let name = try fields.required("name", in: node).text()
        let sites = try SiteRuleReader.rules(fields, node)
        var account = try read(try fields.required("oauth", in: node), name, sites)
        if let node = fields["cleartext"] { account.allowsCleartext = try node.boolean() }
        account.placement = try TokenPlacementReader.placement(fields)
        if account.bindsTokens, let node = fields["field"] ?? fields["query"] {
            throw node.error("a token with 'dpop' goes in Authorization alone: remove one of the two")
        }
        return account
    }

    private func read(_ node: ProfileNode, _ name: String, _ sites: [String]) throws(ProfileFileError) -> OAuthAccount {
        let fields = try node.mapping(known: [
            "issuer", "portal", "client", "secret", "secret-in-body", "key", "certificate", "grant", "scope",
            "resources", "redirect", "signed-in-seconds", "audience", "id-token", "dpop",
        ])
        var account = OAuthAccount(
            name: name,
            sites: sites,
            issuer: try fields["issuer"].map(Self.url),
            client: try fields.required("client", in: node).text(),
            proof: .none,
            grant: .code,
            wish: OAuthClient.Wish(),
            redirect: nil
        )
        if let node = fields["portal"] {
            guard fields["issuer"] == nil else { throw node.error("a portal is the issuer: remove 'issuer'") }
            (account.issuer, account.dialect) = (try Self.url(node), .arcGIS)
        }
        if let node = fields["grant"] {
            guard let grant = OAuthAccount.Grant(rawValue: try node.text()) else {
                throw node.error("expected \(OAuthAccount.Grant.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            guard account.dialect == .standard || grant != .device else {
                throw node.error("a portal has no sign-in on another device: write code or client-credentials")
            }
            account.grant = grant
        }
        try readProof(fields, into: &account)
        if account.grant == .clientCredentials, case .none = account.proof {
            throw node.error("client-credentials needs a secret: add 'secret', 'key' or 'certificate'")
        }
        if account.issuer == nil, let proof = fields["secret"] ?? fields["key"] ?? fields["certificate"] {
            throw proof.error(
                "a client with a secret names its service, because the resource could name a false one: add 'issuer'"
            )
        }
        try readSignedInTime(fields, into: &account)
        account.wish.scope = try fields["scope"]?.text()
        for node in try fields["resources"]?.sequence() ?? [] { account.wish.resources.append(try Self.url(node)) }
        try readIdentity(fields, into: &account)
        try readBinding(fields, into: &account)
        if account.issuer == nil, account.wish.resources.isEmpty {
            throw node.error("'issuer' is missing: name the service, or give 'resources' whose service is to be found")
        }
        try readRedirect(fields, into: &account)
        return account
    }

    /// How long a person stays signed in.
    private func readSignedInTime(
        _ fields: [String: ProfileNode],
        into account: inout OAuthAccount
    ) throws(ProfileFileError) {
        guard let node = fields["signed-in-seconds"] else { return }
        guard account.grant != .clientCredentials else {
            throw node.error("no person signs in with client-credentials: remove it")
        }
        let (seconds, range) = (Int64(try node.integer()), OAuthAccount.signedInRange)
        guard range.contains(seconds) else {
            throw node.error("expected \(range.lowerBound) to \(range.upperBound) seconds")
        }
        account.signedInSeconds = seconds
    }

    /// Where the browser comes back to.
    private func readRedirect(
        _ fields: [String: ProfileNode],
        into account: inout OAuthAccount
    ) throws(ProfileFileError) {
        guard let node = fields["redirect"] else { return }
        guard account.grant == .code else { throw node.error("only the grant code has a redirect: remove it") }
        let redirect = try node.text()
        let url = try Self.url(node)
        guard url.origin.scheme == .http, ["127.0.0.1", "localhost"].contains(url.origin.host.description),
            url.path == url.target
        else {
            throw node.error(
                "a redirect is http on 127.0.0.1 or localhost, without a query: write http://127.0.0.1/callback"
            )
        }
        account.redirect = redirect
    }

    /// What the client proves itself with.
    private func readProof(
        _ fields: [String: ProfileNode],
        into account: inout OAuthAccount
    ) throws(ProfileFileError) {
        if let node = fields["secret"] {
            // Portals take it in the body alone.
            let inBody = try fields["secret-in-body"]?.boolean() ?? (account.dialect == .arcGIS)
            account.proof = .secret(try secret(node), inBody: inBody)
        } else if let node = fields["secret-in-body"] {
            throw node.error("has no effect without a secret: add 'secret' or remove it")
        }
        let given = [fields["secret"], fields["key"], fields["certificate"]].compactMap { $0 }
        guard given.count < 2 else {
            throw given[1].error("a client has one proof: remove 'secret', 'key' or 'certificate'")
        }
        if account.dialect == .arcGIS, let node = fields["key"] ?? fields["certificate"] {
            throw node.error("a portal knows applications by a secret: name it with 'secret'")
        }
        if let node = fields["key"] { account.proof = .key(try key(node)) }
        if let node = fields["certificate"] {
            guard try node.boolean() else { throw node.error("write true, or remove it") }
            account.proof = .certificate
        }
    }

    private func key(_ node: ProfileNode) throws(ProfileFileError) -> OAuthAccount.KeyFile {
        let fields =
            node.isMapping
            ? try node.mapping(known: ["file", "passphrase", "id", "audience", "algorithm"]) : ["file": node]
        let file = try fields.required("file", in: node)
        let path = accounts.paths.absolute(try file.text())
        do throws(FileReadError) { try FileReading.check(path) } catch {
            throw file.error("cannot be read (\(error)): check path and mode")
        }
        let algorithm = try fields["algorithm"]?.text()
        if let algorithm, let node = fields["algorithm"], !OAuthAccount.KeyFile.algorithms.contains(algorithm) {
            throw node.error(
                "expected \(OAuthAccount.KeyFile.algorithms.joined(separator: " or ")) for an RSA key; one on P-256 needs none"
            )
        }
        let audience = try fields["audience"]?.text()
        return OAuthAccount.KeyFile(
            path: path,
            passphrase: try fields["passphrase"].map(accounts.secret),
            id: try fields["id"]?.text(),
            audience: audience.map { $0 == "endpoint" ? .endpoint : .named($0) },
            algorithm: algorithm
        )
    }

    /// What an identity-aware proxy demands of the token.
    private func readIdentity(
        _ fields: [String: ProfileNode],
        into account: inout OAuthAccount
    ) throws(ProfileFileError) {
        account.wish.audience = try fields["audience"]?.text()
        guard let node = fields["id-token"] else { return }
        account.wish.wantsIDToken = try node.boolean()
        // OpenID Connect Core section 3.1.2.1: without it a sign-in brings no ID token.
        if account.wish.wantsIDToken, account.grant != .clientCredentials, !account.wish.asksForIDToken {
            throw node.error("a sign-in brings an ID token for the scope openid alone: add openid to 'scope'")
        }
    }

    /// Whether tokens are bound to a key.
    private func readBinding(
        _ fields: [String: ProfileNode],
        into account: inout OAuthAccount
    ) throws(ProfileFileError) {
        guard let node = fields["dpop"], try node.boolean() else { return }
        guard account.dialect == .standard else { throw node.error("a portal binds no tokens to keys: remove it") }
        guard !account.wish.wantsIDToken else {
            throw node.error("an ID token is bound to no key: remove 'dpop' or 'id-token'")
        }
        account.bindsTokens = true
    }

    private func secret(_ node: ProfileNode) throws(ProfileFileError) -> OAuthAccount.SecretSource {
        let fields = try node.mapping(known: ["file", "environment", "systemd-credential", "store"], isSecret: true)
        guard fields.count == 1 else {
            throw node.error(
                "expected one of 'file', 'environment', 'systemd-credential' and 'store'; do not write the secret itself here"
            )
        }
        if let credential = fields["systemd-credential"] {
            return .place(.systemdCredential(name: try credential.text()))
        }
        if let store = fields["store"] {
            guard try store.boolean() else { throw store.error("write true, or name another place") }
            return .store
        }
        return .place(.value(try accounts.secret(node)))
    }

    /// The URL of a service.
    static func url(_ node: ProfileNode) throws(ProfileFileError) -> ServiceURL {
        let text = try node.text()
        do throws(ServiceURLError) { return try ServiceURL(text) } catch { throw node.error("\(error)") }
    }
}
