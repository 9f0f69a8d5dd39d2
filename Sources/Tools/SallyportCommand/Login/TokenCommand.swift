internal import ArgumentParser
internal import CredentialStores
internal import OAuth
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import WireFormat

/// `sallyport token`: the tokens of OAuth accounts.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Shows what the store has for the accounts with 'oauth' or 'arcgis'.",
        subcommands: [TokenShowCommand.self]
    )
}

/// `sallyport token show`: issuer, times and scopes, not the token.
struct TokenShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows issuer, kind, times and scopes of tokens, without the tokens.",
        discussion: """
            No service is asked. Exit status: 0 each account has a token or what renews it, 1 an account has to sign in, 2 could not run.
            """
    )

    @Argument(help: "The name of the account in the profile, or a URL for which it is meant; without it, all accounts.")
    var account: String?

    @Flag(help: "Show the access token of the account, too.")
    var reveal = false

    @Flag(help: "One JSON object a line.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The security profile (YAML), whose accounts with 'oauth' or 'arcgis' are meant.",
            valueName: "file"
        )
    )
    var profile: String

    @OptionGroup var store: StoreOptions

    func validate() throws {
        guard !reveal || account != nil else { throw ValidationError("--reveal shows one token: name its account.") }
    }

    func run() throws {
        try TokenVerb.run("token show") {
            let contents = try ProfileReader.contents(ArgumentPath.url(profile), at: SystemClock.unixSeconds) {
                StandardError.complain("token show", "\($0)")
            }
            guard !contents.tokenAccounts.isEmpty else { throw TokenProblem.noAccounts(profile: profile) }
            let chosen = try account.map { [try contents.tokenAccount($0)] } ?? contents.tokenAccounts
            let store = chosen.contains(where: \.needsStore) ? try store.open() : nil
            var isSignedIn = true
            for (index, account) in chosen.enumerated() {
                let report = try Blocking.run { try await Self.report(account, store) }
                let text = json ? report.json(reveal: reveal) : (index > 0 ? "\n" : "") + report.text(reveal: reveal)
                try StandardOutput.write(text)
                isSignedIn = isSignedIn && report.isSignedIn
            }
            guard isSignedIn else { throw CommandExit.answerWasNo }
        }
    }

    /// - Parameter store: `nil` if the profile has the token.
    private static func report(_ account: TokenAccount, _ store: (any CredentialStore)?) async throws -> TokenReport {
        let place: (root: ServiceURL, issuer: String)?
        switch account {
        case .oauth(let account): place = account.issuer.map { ($0, "\($0)") }
        case .arcGIS(let account): place = account.portal.map { ($0.root, "\($0.root) \(account.owner)") }
        }
        guard let store, let (root, issuer) = place else {
            return TokenReport(account, nil, granted: nil, signIn: nil, hasRefresh: false)
        }
        // At a time before all ends, because tokens that have ended are shown, too.
        let query = CredentialQuery(origin: root.origin, realm: root.storeRealm, user: account.name)
        let records = try await store.credentials(for: query, at: .min).filter {
            $0.name.space.realm == root.storeRealm
        }
        let access = records.first { $0.name.kind == .accessToken }
        let refresh = records.first { $0.name.kind == .refreshToken }
        let kept = access.flatMap { KeptToken($0.secret) }.flatMap { $0.issuer == issuer ? $0 : nil }
        return TokenReport(
            account,
            kept,
            granted: access?.created,
            signIn: (refresh ?? access)?.created,
            hasRefresh: refresh != nil
        )
    }
}
