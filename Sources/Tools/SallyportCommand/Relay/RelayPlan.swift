internal import AllowedSites
internal import CredentialSources
internal import CredentialStores
internal import Foundation
internal import Hostnames
internal import Logging
internal import ProfileFiles
internal import Sallyport
internal import SallyportNIO
internal import SallyportRelay

/// What the arguments of a relay make: its profile, its store, and who is asked for passwords.
struct RelayPlan: Sendable {
    let parents: [Origin]
    let authenticator: Authenticator
    let settings: RelaySettings
    private let profile: URL?
    let tls: TLSSettings

    /// Reads the profile and opens the store, which may ask for its passphrase. Blocks the calling thread.
    init(_ options: RelayOptions, _ store: StoreOptions) throws {
        parents = try options.origins()
        profile = options.profile.map { ArgumentPath.url($0) }
        var settings = RelaySettings()
        settings.parents = parents
        settings.listeners = try options.listeners()
        settings.destinations = try RelayLists.destinations(options)
        settings.clients = try RelayLists.clients(options)
        settings.answersServers = options.answerServers
        settings.mappings = try options.mapped.mappings()
        settings.certificate = try options.mapped.certificate()
        self.settings = settings
        tls = try options.mapped.tls()
        let servers = settings.mappings.map(\.origin)
        let contents = try Self.contents(profile)
        let compiled = try contents?.compiled ?? Self.compiled(parents + servers)
        let handler = ChallengeHandler(compiled)
        let oauthAccounts = contents?.oauthAccounts ?? []
        let needsStore =
            Self.needsStore(options, store, handler, parents, servers) || !options.noStore && !oauthAccounts.isEmpty
        let opened = try needsStore ? store.openOrMake {} : nil
        for made in opened?.made ?? [] { StandardError.write("made \(made)\n") }
        var asking = AuthenticatorOptions()
        asking.allowsCleartext = options.basic
        let current = CurrentHandler(handler)
        if !oauthAccounts.isEmpty {
            let tokens: any CredentialStore = opened?.store ?? MemoryCredentialStore()
            asking.places =
                TokenAccounts(
                    accounts: oauthAccounts,
                    service: try TokenService(tls: TLSConnector(current)),
                    store: Once { tokens }
                ).places
        }
        authenticator = try Authenticator(
            current,
            prompt: TerminalPrompt(keep: opened == nil ? .session : .stored),
            store: opened?.store,
            options: asking
        )
    }

    /// The relay, which does not listen yet.
    func relay(_ logger: Logger) throws -> Relay {
        var settings = settings
        settings.logger = logger
        let others = parents + settings.mappings.map(\.origin)
        let connector = others.contains { $0.scheme == .https } ? try TLSConnector(tls, authenticator.current) : nil
        return Relay(authenticator, settings, tls: connector)
    }

    /// Reads the profile again. Requests under way end with the old one. The accounts with 'oauth' stay those of the start.
    ///
    /// - Returns: whether there is a profile to read.
    func reload() throws -> Bool {
        guard let contents = try Self.contents(profile) else { return false }
        try authenticator.reload(contents.compiled)
        return true
    }

    /// A store is of use where the profile has no password, and where the arguments name one.
    private static func needsStore(
        _ options: RelayOptions,
        _ store: StoreOptions,
        _ handler: ChallengeHandler,
        _ parents: [Origin],
        _ servers: [Origin]
    ) -> Bool {
        guard !options.noStore else { return false }
        return store.isNamed
            || parents.contains { parent in
                handler.account(for: ProtectionSpace(origin: parent, kind: .http(schemes: [], party: .proxy))) == nil
            }
            || servers.contains { server in
                handler.account(for: ProtectionSpace(origin: server, kind: .http(schemes: [], party: .origin))) == nil
            }
    }

    private static func contents(_ profile: URL?) throws -> ProfileContents? {
        guard let profile else { return nil }
        return try ProfileReader.contents(profile, at: Clock.now) {
            StandardError.write("sallyport relay: \("\($0)".inOneLine)\n")
        }
    }

    /// The rules without a profile.
    ///
    /// - Parameter others: the parents and servers that may receive credentials.
    private static func compiled(_ others: [Origin]) throws -> CompiledProfile {
        let own = SecurityProfile(
            sites: try SiteList(
                parsing: Set(others.map { "\($0)\n" }).sorted().joined(),
                name: "--parent and --map"
            ),
            // Digest of a proxy that offers both sends the password in no form; NTLM keeps its connection, and so costs less.
            schemes: [.ntlm, .negotiate, .digest, .basic]
        )
        return try CompiledProfile(own, at: Clock.now)
    }
}
