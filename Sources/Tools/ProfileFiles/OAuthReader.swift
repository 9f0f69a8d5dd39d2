internal import ChallengeHandling
internal import CredentialSources
internal import Credentials
internal import HTTPAuthentication
internal import Hostnames
internal import OAuth
internal import Secrets

/// Reads an account whose tokens come from an OAuth service.
struct OAuthReader {
    let accounts: AccountReader

    /// The account; `nil` for one with a secret of its own.
    func account(_ node: ProfileNode) throws(ProfileFileError) -> OAuthAccount? {
        guard node.has("oauth") else { return nil }
        let fields = try node.mapping(known: ["name", "oauth", "sites", "cleartext"])
        let name = try fields.required("name", in: node).text()
        let sites = try SiteRuleReader.rules(fields, node)
        var account = try read(try fields.required("oauth", in: node), name, sites)
        if let node = fields["cleartext"] { account.allowsCleartext = try node.boolean() }
        return account
    }

    private func read(_ node: ProfileNode, _ name: String, _ sites: [String]) throws(ProfileFileError) -> OAuthAccount {
        let fields = try node.mapping(known: [
            "issuer", "client", "secret", "secret-in-body", "grant", "scope", "resources", "redirect",
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
        if let node = fields["grant"] {
            guard let grant = OAuthAccount.Grant(rawValue: try node.text()) else {
                throw node.error("expected \(OAuthAccount.Grant.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            account.grant = grant
        }
        if let node = fields["secret"] {
            account.proof = .secret(try secret(node), inBody: try fields["secret-in-body"]?.boolean() ?? false)
        } else if let node = fields["secret-in-body"] {
            throw node.error("has no effect without a secret: add 'secret' or remove it")
        }
        if account.grant == .clientCredentials, fields["secret"] == nil {
            throw node.error("client-credentials needs a secret: add 'secret'")
        }
        if account.issuer == nil, let secret = fields["secret"] {
            throw secret.error(
                "a client with a secret names its service, because the resource could name a false one: add 'issuer'"
            )
        }
        account.wish.scope = try fields["scope"]?.text()
        for node in try fields["resources"]?.sequence() ?? [] { account.wish.resources.append(try Self.url(node)) }
        if account.issuer == nil, account.wish.resources.isEmpty {
            throw node.error("'issuer' is missing: name the service, or give 'resources' whose service is to be found")
        }
        if let node = fields["redirect"] {
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
        return account
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

extension OAuthAccount {
    /// An account of the same name and sites, to check both with the other accounts. It answers nothing.
    var placeholder: AccountAssignment {
        let account = Account(
            name: name,
            user: name,
            domain: nil,
            credential: .token(SharedSecret(utf8: name)),
            userForm: nil
        )
        return AccountAssignment(account, sites: sites, schemes: [.bearer])
    }
}
