internal import ClientAuthentication
internal import ClientDirectories
internal import CredentialSources
internal import CredentialStores
internal import Foundation
internal import Hostnames
internal import Logging
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import SallyportNIO
internal import SallyportRelay
internal import Waiting
internal import WireFormat

/// What the arguments of a relay make: its profile, its store, and who is asked for passwords.
struct RelayPlan: Sendable {
    let parents: [RelayParent]
    let authenticator: Authenticator
    let settings: RelaySettings
    private let profile: URL?
    /// `nil` without a script.
    let pac: PACFile?
    /// What chooses the parents in place of their order, for people; `nil` if nothing does.
    let chosenBy: String?
    let identities: CommandIdentities
    /// The lists of revoked certificates.
    let revocation: RevocationSource
    private let tls: TLSSettings
    private let pinReports: RelayPinReports
    private let clients: AccountsFile?
    private let tokens: RelayTokens
    /// The rules of the identities in the settings, in the same order.
    private let rules: [IdentityRule]
    /// The accounts without a profile whose tickets answer; `nil` without them.
    private let tickets: OwnRules?
    var usesTickets: Bool { tickets != nil }

    /// How long a question stands at the terminal. Requests wait for a shorter time, and the answer is then for the next one.
    private static let questionLimit = Duration.seconds(300)

    /// Reads the profile and opens the store, which may ask for its passphrase. Blocks the calling thread.
    init(
        _ options: RelayOptions,
        _ tls: ParentTLSOptions,
        _ certificate: CertificateOptions,
        _ store: StoreOptions
    ) throws {
        let desktop = try options.script.desktop("relay")
        let named = try options.parents()
        parents = named + (desktop?.proxies?.parents ?? []).filter { !named.contains($0) }
        if options.kerberos, let warning = OwnRules.warning(of: parents.map(\.origin)) {
            StandardError.complain("relay", warning)
        }
        profile = options.profile.map { ArgumentPath.url($0) }
        pac = try PACFile(options.script, desktop)
        chosenBy = pac?.place.text ?? desktop?.place
        var settings = RelaySettings()
        settings.parents = parents
        settings.chooser = pac?.script ?? desktop?.proxies
        clients = try Self.apply(options, to: &settings)
        rules = try options.client.rules()
        try Self.check(rules, settings)
        for rule in rules {
            let own = try Self.compile(profile, only: rule)
            settings.identities.append(RelayIdentity(CurrentHandler(ChallengeHandler(own)), for: [rule.client]))
        }
        self.settings = settings
        let servers = settings.mappings.map(\.origin)
        let contents = try Self.contents(profile, without: rules)
        let own = OwnRules(parents, servers, usesTickets: options.kerberos)
        tickets = options.kerberos ? own : nil
        let compiled = try contents?.compiled ?? own.compiled()
        let handler = ChallengeHandler(compiled)
        let tokenAccounts = contents?.tokenAccounts ?? []
        let needsStore =
            Self.needsStore(options, store, handler, parents, servers)
            || !options.noStore && tokenAccounts.contains(where: \.needsStore)
        let opened = try needsStore ? store.openOrMake(isOptional: !store.isNamed && certificate.kept == nil) {} : nil
        for made in opened?.made ?? [] { StandardError.write("made \(made)\n") }
        let current = CurrentHandler(handler)
        let option = try certificate.identity(for: (parents.map(\.origin) + servers).secureSites)
        guard option?.sites.isEmpty != true else { throw RelayProblem.uselessCertificate }
        let identities = try CommandIdentities(option, contents, mayAsk: true) { try opened?.store ?? store.open() }
        self.identities = identities
        do {
            var settings = try tls.settings(identities)
            revocation = try RevocationSource(tls.revocationLists, settings)
            settings.revocationLists = revocation.lists
            try identities.install(in: current, at: SystemClock.unixSeconds)
            pinReports = try RelayPinReports(to: contents?.pinReports, &settings, current)
            self.tls = settings
            tokens = RelayTokens(
                current,
                opened?.store,
                keepsNothing: options.noStore,
                identities,
                revocation.lists
            )
            let places = try tokens.places(of: tokenAccounts)
            authenticator = try Self.authenticator(current, opened?.store, options, places, identities)
        } catch {
            identities.close()
            throw error
        }
    }

    /// Ends what the plan has opened. Blocks the calling thread.
    func close() {
        identities.close()
        pinReports.close()
    }

    /// Where the relay listens, and whom it serves; returns the file with the accounts of its clients, if there is one.
    private static func apply(_ options: RelayOptions, to settings: inout RelaySettings) throws -> AccountsFile? {
        settings.listeners = try options.listeners()
        let environment = ProcessInfo.processInfo.environment
        settings.sockets = try ActivationSockets.adopt { environment[$0] }
        // The socket unit says where.
        if !settings.sockets.isEmpty, !options.namesListeners { settings.listeners = [] }
        settings.destinations = try RelayLists.destinations(options)
        settings.clients = try RelayLists.clients(options)
        settings.answersServers = options.answerServers
        settings.mappings = try options.mapped.mappings()
        settings.certificate = try options.mapped.certificate()
        try options.forwarding.apply(to: &settings)
        let accounts = try options.client.accounts()
        settings.clientAccounts = accounts?.0
        settings.channelBinding = options.client.channelBinding.demand
        return accounts?.1
    }

    private static func authenticator(
        _ current: CurrentHandler,
        _ store: (any CredentialStore)?,
        _ options: RelayOptions,
        _ places: [AccountPlace],
        _ identities: CommandIdentities
    ) throws -> Authenticator {
        var asking = AuthenticatorOptions()
        asking.allowsCleartext = options.basic
        // The prompt ends first, and says why.
        asking.patience = questionLimit + .seconds(10)
        asking.places = places
        return try Authenticator(
            current,
            prompt: TerminalPrompt(timeLimit: questionLimit, keep: store == nil ? .session : .stored),
            store: store,
            identities: { identities.assignments },
            options: asking
        )
    }

    /// Whether a parent is reached over TLS.
    var hasSecureParent: Bool { parents.contains { $0.origin.scheme == .https } }

    private var needsTLS: Bool { hasSecureParent || settings.mappings.contains { $0.origin.scheme == .https } }

    /// TLS to the parents and mapped servers.
    func connector() throws -> TLSConnector { try TLSConnector(tls, authenticator.current) }

    /// The parents for a server.
    func parents(for server: Origin) async throws -> [RelayParent] {
        guard let chooser = settings.chooser else { return parents }
        let parents = try await chooser.choices(for: server).compactMap { route -> RelayParent? in
            guard case .proxy(let parent) = route else { return nil }
            let isNamed = self.parents.contains {
                $0.origin.host == parent.origin.host && $0.origin.port == parent.origin.port
            }
            guard isNamed || !settings.destinations.forbids(parent.origin) else {
                throw RelayProblem.checkedURL(
                    "the PAC file names \(parent), on a loopback, link-local or reserved address: name it with --parent, or allow it "
                        + "with --allow-destination"
                )
            }
            return parent
        }
        guard !parents.isEmpty else {
            let chooser = pac == nil ? chosenBy ?? "" : "the PAC file"
            throw RelayProblem.checkedURL("\(chooser) sends it directly, so there is no proxy to check")
        }
        return parents
    }

    /// The relay, which does not listen yet.
    func relay(_ logger: Logger) throws -> Relay {
        var settings = settings
        settings.logger = logger
        pinReports.use(logger)
        // A script may name such a parent at any time; without roots it gets nothing.
        let tls = needsTLS ? try connector() : pac == nil ? nil : try? connector()
        return Relay(authenticator, settings, tls: tls)
    }

    /// Reads the profile again. Requests under way end with the old one.
    ///
    /// - Returns: whether there is anything to read.
    func reload() async throws -> Bool {
        guard profile != nil || clients != nil || pac != nil || tickets != nil || !revocation.isEmpty else {
            return false
        }
        // All of them first, because a file that cannot be read changes nothing.
        // It may name pipes, whose writers may never come.
        let (contents, own) = try await Deadline.abandonWhenCancelled { [profile, rules] in
            try await OwnThread.run {
                let contents = try Self.contents(profile, without: rules)
                return (contents, try contents.map { _ in try rules.map { try Self.compile(profile, only: $0) } } ?? [])
            }
        }
        let places = try contents.map { try tokens.places(of: $0.tokenAccounts) }
        let certificates = try await identities.read(contents)
        let revoked = try await revocation.read()
        try await pac?.reload()
        do throws(AccountsFileError) { try clients?.reload() } catch { throw ClientSourceProblem.accounts("\(error)") }
        // Another principal may have the cache now: accounts that are compiled anew have connections of their own.
        if let compiled = try contents?.compiled ?? tickets?.compiled() {
            try authenticator.reload(compiled, places: places)
            pinReports.use(contents?.pinReports)
            try await identities.use(certificates, authenticator)
        }
        revocation.lists.replace(by: revoked)
        for (identity, compiled) in zip(settings.identities, own) { identity.current.replace(with: compiled) }
        return true
    }

    /// A store is of use where the profile has no password, and where the arguments name one.
    private static func needsStore(
        _ options: RelayOptions,
        _ store: StoreOptions,
        _ handler: ChallengeHandler,
        _ parents: [RelayParent],
        _ servers: [Origin]
    ) -> Bool {
        guard !options.noStore, !options.kerberos || store.isNamed else { return false }
        return store.isNamed
            || parents.contains { parent in
                handler.account(for: ProtectionSpace(origin: parent.origin, kind: .http(schemes: [], party: .proxy)))
                    == nil
            }
            || servers.contains { server in
                handler.account(for: ProtectionSpace(origin: server, kind: .http(schemes: [], party: .origin))) == nil
            }
    }

    /// - Parameter rules: their accounts answer for their clients only.
    private static func contents(_ profile: URL?, without rules: [IdentityRule]) throws -> ProfileContents? {
        guard let profile else { return nil }
        let taken = Set(rules.flatMap(\.accounts))
        return try ProfileReader.contents(
            profile,
            at: SystemClock.unixSeconds,
            warn: { StandardError.complain("relay", "\($0)") },
            keeping: { !taken.contains($0) }
        )
    }

    /// Whether each rule has clients.
    private static func check(_ rules: [IdentityRule], _ settings: RelaySettings) throws(RelayProblem) {
        let others = settings.mappings.map(\.listener) + settings.tunnels.map(\.listener) + settings.socksListeners
        let listeners = settings.listeners + others
        for rule in rules {
            switch rule.client {
            case .account where settings.clientAccounts == nil:
                throw .identity(
                    "client: no client says who it is: give --client-accounts, --client-directory or --client-keytab"
                )
            case .listener(let address) where !listeners.contains(address) && settings.sockets.isEmpty:
                throw .identity("listener:\(address): the relay does not listen there: add it with --listen or --map")
            default: continue
            }
        }
    }

    /// The profile with the accounts of one rule.
    private static func compile(_ profile: URL?, only rule: IdentityRule) throws -> CompiledProfile {
        guard let profile else { throw RelayProblem.identity("there is no profile: give --profile") }
        let wanted = Set(rule.accounts)
        let compiled = try ProfileReader.compile(profile, at: SystemClock.unixSeconds, keeping: { wanted.contains($0) })
        let known = Set(compiled.profile.accounts.map(\.account.name))
        for name in rule.accounts where !known.contains(name) {
            throw RelayProblem.identity("\(name.debugDescription): the profile has no such account: correct the name")
        }
        return compiled
    }
}

extension [Origin] {
    /// Rules for those that are reached over TLS.
    fileprivate var secureSites: [String] { filter { $0.scheme == .https }.map { "\($0)" } }
}
