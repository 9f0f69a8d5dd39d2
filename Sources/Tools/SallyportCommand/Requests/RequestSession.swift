internal import CredentialStores
internal import Hostnames
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import SallyportClient
internal import SallyportNIO
internal import WireFormat

/// One request with the rules, the sources and the connections that it needs.
struct RequestSession: Sendable {
    let url: RequestURL
    let ways: RequestWays
    /// The ways to the server of the URL.
    let firstWays: RequestWays.Choice
    let authenticator: Authenticator
    /// Where passwords are looked for, in this order, if the profile has none.
    let places: [String]
    /// What to do where a server got no client certificate.
    let certificateRemedy: CertificateRemedy
    private let identities: CommandIdentities
    private let rules: RequestRules
    private let request: ClientRequest
    private let settings: ClientSettings
    private let tls: TLSConnector
    private let limit: Duration?
    /// Those of `--crl`.
    let revocationLists: RevocationLists
    private let verb: String
    /// `nil` if the profile names no place for reports.
    private let reporter: PinReporter?
    /// Ends the request if nothing happens.
    let clock = RequestClock()

    /// Reads what the options name. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - verb: the verb, for warnings.
    ///   - observer: receives what happens.
    ///   - report: gets to know who had a password.
    ///   - untrusted: gets to know a server that is not trusted, and what becomes of it.
    ///   - unreached: gets to know the proxy to which there was no connection, and why; `nil` is the server itself.
    init(
        _ options: RequestArguments,
        verb: String,
        observer: EventObserver,
        report: @escaping RequestReport,
        untrusted: @escaping @Sendable (UntrustedServer, ServerTrustReply) -> Void,
        unreached: @escaping @Sendable (Origin?, any Error) -> Void
    ) throws {
        url = try RequestURL(options.request.url)
        var request = try Self.request(options, url)
        let (ways, proxies) = try Self.ways(options, verb)
        self.ways = ways
        let origin = url.location.origin
        firstWays = try Blocking.run { [ways] in try await ways.choice(for: origin) }
        let credited = Self.credited(options, ways, firstWays)
        if options.account.kerberos, let warning = OwnRules.warning(of: [origin] + credited) {
            StandardError.complain(verb, warning)
        }
        let now = SystemClock.unixSeconds
        rules = try RequestProfile.current(
            options.account,
            for: url,
            through: credited,
            at: now,
            observer: observer
        ) { warning in StandardError.complain(verb, "\(warning)") }
        certificateRemedy = CertificateRemedy(
            profile: options.account.profile,
            identities: rules.contents?.identities ?? [],
            servedByOption: options.certificate.isGiven ? origin : nil,
            ways: ways
        )
        let current = rules.current
        var tls = TLSSettings()
        if let file = options.request.authorities { tls.roots = .certificates(try ServerRules.roots(of: file, verb)) }
        tls.olderCiphers = options.request.olderCiphers
        var fetching = ClientSettings()
        fetching.ways = { [ways] origin in try await ways.choice(for: origin).ways }
        tls.revocationLists = try RevocationSource(options.request.revocationLists, tls, fetching).lists
        revocationLists = tls.revocationLists
        self.verb = verb
        let store = try options.openingStore()
        identities = try Self.identities(options, for: url, rules.contents, store)
        do {
            try identities.install(in: current, at: now)
            let questions = TrustQuestions(options, verb: verb)
            try questions.install(in: current, at: now)
            identities.addKeys(to: &tls)
            let warning = identities.warning(for: url.location.origin, current, at: now)
            if let warning { StandardError.complain(verb, warning) }
            let settings = Self.settings(options, ways, unreached)
            self.settings = settings
            if let url = rules.contents?.pinReports {
                let connector = try TLSConnector(tls, current)
                let reporter = try PinReporter(to: url, tls: connector, settings: settings) { problem in
                    StandardError.complain(verb, problem)
                }
                tls.onPinFailure = { reporter.add($0) }
                self.reporter = reporter
            } else {
                reporter = nil
            }
            self.tls = try TLSConnector(tls, current)
            let service = try TokenService(tls: self.tls, settings: settings)
            let tokens = Self.tokens(of: rules, from: service, in: store)
            let sources = try options.sources(proxies, store, report)
            let prompt = options.account.prompt(report)
            places = sources.map(\.place) + [prompt].compactMap { $0?.place }
            authenticator = try Authenticator(
                current,
                sources: sources,
                prompt: prompt,
                // With it the connection shows why a server is not trusted.
                serverTrust: { try await questions.reply(to: $0, untrusted) },
                identityChoice: options.account.noPrompt ? nil : Self.identity,
                options: AuthenticatorOptions(places: tokens.places, allowsCleartext: options.account.cleartext)
            )
            limit = options.request.maxTime > 0 ? .seconds(options.request.maxTime) : nil
            // Last, because standard input may take long.
            request.body = try BodyOption.body(options.request, clock)
            self.request = request
        } catch {
            identities.close()
            throw error
        }
    }

    /// The ways to servers, and the proxies that the options and the environment name.
    private static func ways(_ options: RequestArguments, _ verb: String) throws -> (RequestWays, ProxyChoice) {
        let desktop = try options.script.desktop(verb)
        if let desktop, desktop.proxies != nil, options.request.proxy != nil {
            throw DesktopProblem(
                desktop.desktop,
                "it names no PAC file, of whose proxies --proxy names the one that may get credentials: remove --proxy"
            )
        }
        let pac = try PACFile(options.script, desktop)
        // With a script or a desktop the environment names no proxy.
        let proxyOption = options.request.proxy ?? (options.script.option == nil ? nil : "")
        let proxies = try ProxyChoice(option: proxyOption, isDirect: options.request.direct)
        return (RequestWays(proxies, pac, desktop), proxies)
    }

    private static func settings(
        _ options: RequestArguments,
        _ ways: RequestWays,
        _ unreached: @escaping @Sendable (Origin?, any Error) -> Void
    ) -> ClientSettings {
        var settings = ClientSettings()
        settings.redirects = options.request.maxRedirects
        settings.ways = { origin in try await ways.choice(for: origin).ways }
        settings.wayFailed = { origin, proxy, error in
            unreached(proxy, error)
            ways.failed(proxy, to: origin)
        }
        return settings
    }

    /// Asks a person which of several certificates the server gets.
    private static func identity(for question: IdentityQuestion) async throws -> IdentityReply {
        let reply: IdentityReply
        do {
            reply = try await TerminalIdentityPrompt().reply(to: question)
        } catch TerminalError.noTerminal {
            // Its remedy names the options.
            throw TLSError.identityUndecided(question)
        }
        // The authenticator's own error does not say what the question was.
        guard reply != .cancel else { throw RequestProblem.choiceCancelled(question) }
        return reply
    }

    /// Ends what the session has opened, and waits a few seconds for reports of pin failures. Blocks the calling thread.
    ///
    /// It warns of lists of `--crl` that have checked nothing: the wrong list was given, or an attacker has replaced it on the network.
    func close() {
        identities.close()
        for issuer in revocationLists.unusedIssuers {
            let list = "\(RevocationPlace.option): the list of \(VisibleText.quoted(issuer)) has checked nothing"
            StandardError.complain(
                verb,
                "warning: \(list), because no server's certificate is from there: give that of its issuer"
            )
        }
        if let reporter { try? Blocking.run { await reporter.finish() } }
    }

    /// The account whose token answers at the URL; `nil` if there is none.
    var tokenAccount: TokenAccount? {
        inUse(rules.contents?.tokenAccount(for: url.location.origin, path: url.location.path))
    }

    /// The account whose token goes along to the URL; `nil` if there is none.
    var placedTokenAccount: TokenAccount? {
        inUse(rules.contents?.placedTokenAccount(for: url.location.origin, path: url.location.path))
    }

    /// The rule of ``tokenAccount``.
    var tokenRule: String { rules.contents?.accountRule(for: url.location.origin, path: url.location.path) ?? "" }

    /// The account whose token goes along to the URL, also one of the profile, and its rule; `nil` if there is none.
    var placement: (assignment: AccountAssignment, rule: String)? {
        rules.contents?.placement(for: url.location.origin, path: url.location.path)
    }

    private func inUse(_ account: TokenAccount?) -> TokenAccount? {
        rules.tokenAccounts.first { $0.name == account?.name }
    }

    /// Sends the request, and gives its response to `receive`, which reads the body.
    func run<Value: Sendable>(
        _ receive: @escaping @Sendable (ClientResponse) async throws -> Value
    ) async throws -> Value {
        try await clock.run(limit: limit) {
            let client = AuthenticatedClient(authenticator, settings: settings, tls: tls)
            defer { client.shutDown() }
            let (response, _) = try await client.respond(to: request, deadline: .distantFuture)
            clock.advance()
            return try await receive(response)
        }
    }

    /// The proxies that may get credentials: those of a profile's rules, or the one that the options, variables or the desktop name.
    private static func credited(
        _ options: RequestArguments,
        _ ways: RequestWays,
        _ first: RequestWays.Choice
    ) -> [Origin] {
        // A script may name any host.
        let isNamedByScriptAlone = ways.pac != nil && options.account.profile == nil
        return isNamedByScriptAlone ? [ways.proxies.named?.origin].compactMap(\.self) : first.ways.compactMap(\.self)
    }

    private static func request(_ options: RequestArguments, _ url: RequestURL) throws -> ClientRequest {
        let method = options.request.sentMethod
        guard method != "CONNECT", !method.isEmpty, method.utf8.allSatisfy(HeaderArguments.isToken) else {
            throw RequestProblem.method
        }
        return try ClientRequest(
            url: url.text,
            method: HTTPMethod(rawValue: method),
            headers: try headers(options)
        )
    }

    private static func identities(
        _ options: RequestArguments,
        for url: RequestURL,
        _ contents: ProfileContents?,
        _ store: Once<any CredentialStore>?
    ) throws -> CommandIdentities {
        let option = try options.certificate.identity(for: ["\(url.location.origin)"])
        return try CommandIdentities(option, contents, mayAsk: !options.account.noPrompt) {
            guard let store else { throw StoreProblem.missing(try options.store.path()) }
            return try Blocking.run { try await store.value }
        }
    }

    private static func tokens(
        of rules: RequestRules,
        from service: TokenService,
        in store: Once<any CredentialStore>?
    ) -> TokenAccounts {
        // Without a store, tokens are kept until the command ends.
        let tokenStore = store ?? Once { MemoryCredentialStore() }
        return TokenAccounts(
            accounts: rules.tokenAccounts,
            known: rules.contents?.tokenAccounts ?? [],
            service: service,
            store: tokenStore,
            current: rules.current
        )
    }

    private static func headers(_ options: RequestArguments) throws(RequestProblem) -> HTTPHeaders {
        let (given, withheld) = try HeaderArguments.headers(options.request.headers)
        var headers = given
        var defaults = [("Accept", "*/*"), ("User-Agent", "sallyport/\(ProgramVersion.text)")]
        // What curl sends, and what most forms expect.
        if options.request.hasBody { defaults.append(("Content-Type", "application/x-www-form-urlencoded")) }
        for (name, value) in defaults where !headers.contains(name: name) && !withheld.contains(name.lowercased()) {
            headers.add(name: name, value: value)
        }
        return headers
    }
}
