internal import ArgumentParser
internal import Foundation
internal import Logging
internal import OfflineVerbs
internal import SallyportRelay
internal import ServiceLifecycle
internal import UnixSignals

/// `sallyport relay`: a local proxy that authenticates at the corporate proxy.
struct RelayCommand: ParsableCommand, ReadsPublicSuffixes {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Is a local proxy that authenticates at the corporate proxy for programs that cannot.",
        discussion: """
            Point http_proxy and https_proxy of your programs to it. With --kerberos your ticket answers, which kinit gets. \
            Otherwise the password comes from the profile, from the sealed store or the keyring, or from the terminal, which is asked when the proxy asks; a password that the proxy has accepted is kept in the store. If \
            the proxy refuses it later, the terminal is asked again, or keep another one with sallyport credentials add --proxy; \
            a restart is not needed. SIGHUP reads the profile and the lists of --crl again; SIGTERM and SIGINT end the relay after the requests under \
            way, and a second one at once. Exit status: 0 it was told to end, or \
            every step of --check succeeded; 1 a step failed; 2 could not run.

            Options that are not given here come from ~/.config/sallyport/relay.yaml ($XDG_CONFIG_HOME counts), then from \
            /etc/sallyport/relay.yaml. A line is 'NAME: VALUE' with an option's long name: true for a flag, a list for several values.
            """
    )

    @OptionGroup var options: RelayOptions

    // Side by side: see RequestArguments.
    @OptionGroup var tls: ParentTLSOptions
    @OptionGroup var certificate: CertificateOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var files: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "Try a request for this URL, say step by step what works and what does not, and end.",
            valueName: "url"
        )
    )
    var check: String?

    @Option(
        help: ArgumentHelp(
            "Answer /metrics (for Prometheus) and /healthz on this address of loopback.",
            valueName: "address:port"
        )
    )
    var metrics: String?

    @Flag(help: "Show counters and latencies on standard error, once a second.")
    var watch = false

    @Flag(help: "Log each request that is refused, and not only the first one of each reason.")
    var verbose = false

    @Flag(help: "Write one JSON object a line: the addresses to standard output, the log to standard error.")
    var json = false

    @OptionGroup package var publicSuffixes: PublicSuffixOptions

    func validate() throws {
        try certificate.validate(noStore: options.noStore)
        guard !options.noStore || !store.keyring else {
            throw ValidationError("--no-store keeps nothing: remove it or --keyring.")
        }
    }

    func run() throws {
        do {
            let plan = try RelayPlan(options, tls, certificate, store)
            defer { plan.close() }
            if let check {
                guard !plan.parents.isEmpty || options.script.option != nil else {
                    throw RelayProblem.checkedURL(
                        "the check goes through a parent: give --parent, --pac, --wpad or --desktop-proxy"
                    )
                }
                let report = RelayCheckReport(plan: plan, url: check, isJSON: json)
                guard try Blocking.run({ try await report.run() }) else { throw CommandExit.answerWasNo }
                return
            }
            DescriptorLimit.raise()
            var lines = LogLines(isJSON: json)
            lines.logLevel = verbose ? .debug : .info
            let (log, json, watch) = (lines, json, watch)
            let notices = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"]
            let address = try metrics.map { try ListenAddress(parsing: $0) }
            try Blocking.run {
                let logger = Logger(label: "relay") { _ in log }
                let relay = try plan.relay(logger)
                let operation = address.map { address in
                    OperationServer(of: relay, at: address, certificateEnds: { [plan] in plan.identities.ends })
                }
                // Before the relay says that it runs, because the signal would end the process.
                let hangUps = await UnixSignalsSequence(trapping: .sighup)
                let metrics = try await operation?.start()
                let text = RelayAnnouncement(
                    parents: plan.parents,
                    pac: plan.pac?.place.text,
                    chosenBy: plan.chosenBy,
                    mappings: plan.settings.mappings,
                    tunnels: plan.settings.tunnels,
                    socksCount: plan.settings.socksListeners.count,
                    metrics: metrics,
                    isJSON: json,
                    isSecure: plan.settings.listeners.first?.isSecure ?? false
                )
                let announced = AnnouncedRelay(
                    relay: relay,
                    text: text,
                    logger: logger,
                    grace: plan.settings.limits.grace,
                    notices: notices
                )
                var services: [any Service] = [
                    ProfileReloads(hangUps: hangUps, plan: plan, relay: relay, logger: logger, notices: notices)
                ]
                services.append(IdentityRenewals(plan: plan, logger: logger))
                if !plan.revocation.isEmpty {
                    services.append(RevocationRenewals(plan: plan, relay: relay, logger: logger))
                }
                if let operation { services.append(operation) }
                if watch { services.append(RelayWatch(relay: relay, isJSON: json)) }
                // What the group itself does is of no interest to a person.
                var quiet = logger
                quiet.logLevel = .error
                try await ServiceGroup(
                    configuration: .init(
                        services: [.init(service: announced, successTerminationBehavior: .gracefullyShutdownGroup)]
                            + services.map { .init(service: $0) },
                        logger: quiet
                    )
                ).run()
                log.finish()
            }
        } catch let status as ExitCode {
            throw status
        } catch {
            let options = (error as? RelayError)?.options.map { ": \($0)" } ?? ""
            StandardError.write("sallyport relay: \("\(error)".inOneLine)\(options)\n")
            throw CommandExit.couldNotRun
        }
    }
}

/// Where a relay listens, where its parent is, and whose accounts it uses.
struct RelayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The corporate proxy: HOST:PORT, https://HOST:PORT for one that is reached over TLS, or socks5://HOST:PORT; several times for others that are used while the first one cannot be reached.",
            valueName: "proxy"
        )
    )
    var parent: [String] = []

    @OptionGroup var script: PACOptions

    @Option(
        help: ArgumentHelp(
            "Listen here, and not on \(ListenAddress.standard); several times for several addresses, with https:// before those with TLS. All are of loopback, unless --clients, --client-accounts or --client-keytab is given.",
            valueName: "address:port"
        )
    )
    var listen: [String] = []

    @OptionGroup var mapped: MappingOptions

    @OptionGroup var forwarding: ForwardingOptions

    @OptionGroup var client: ClientOptions

    @Option(
        help: ArgumentHelp(
            "Sites, schemes, accounts and pins. Without it: the parent alone, and NTLM, Digest or what --basic or --kerberos allows.",
            valueName: "file"
        )
    )
    var profile: String?

    @Flag(
        help: """
            Answer the parents and mapped servers with your Kerberos ticket, and ask for no password. A parent need not prove itself: \
            Squid cannot.
            """
    )
    var kerberos = false

    @Flag(
        help: "Allow Basic at a parent that is reached in clear text, where everyone on the path reads the password."
    )
    var basic = false

    @Option(
        help: ArgumentHelp(
            "The addresses and networks whose clients may use listeners beyond loopback, in the form of NO_PROXY. They use your account, without a log-on unless --client-accounts or --client-keytab is given.",
            valueName: "list"
        )
    )
    var clients: String?

    @Option(
        name: .customLong("no-proxy"),
        help: ArgumentHelp(
            "Servers that are reached without the corporate proxy, in the form of the variable NO_PROXY.",
            valueName: "list"
        )
    )
    var noProxy: String?

    @Option(
        name: .customLong("direct-sites"),
        help: ArgumentHelp("The same as a list of rules, one a line: see sallyport sites.", valueName: "file")
    )
    var directSites: String?

    @Option(
        name: .customLong("allow-destination"),
        help: ArgumentHelp(
            "Loopback and link-local servers that are served all the same, and proxies there that a PAC file may name, in the form of NO_PROXY.",
            valueName: "list"
        )
    )
    var allowDestination: String?

    @Flag(
        name: .customLong("answer-servers"),
        help: "Answer servers too, over http, where the profile has an account for them: for every client of the relay."
    )
    var answerServers = false

    @Flag(name: .customLong("no-store"), help: "Use no sealed store: a password that is typed is forgotten at the end.")
    var noStore = false

    func validate() throws {
        let isChosen = !parent.isEmpty || script.option != nil
        guard isChosen || !mapped.map.isEmpty && listen.isEmpty else {
            throw ValidationError(
                "Nothing says where requests go: give --parent, --pac, --wpad, --desktop-proxy, or --map alone."
            )
        }
        guard isChosen || !forwarding.directFallback else {
            throw ValidationError(
                "Without a parent everything goes directly: give --parent, --pac, --wpad or --desktop-proxy, or leave --direct-fallback out."
            )
        }
        guard noProxy == nil || directSites == nil else {
            throw ValidationError("One list says what needs no proxy: give --no-proxy or --direct-sites.")
        }
        guard profile != nil || !answerServers else {
            throw ValidationError(
                "A profile names the servers and their accounts: give --profile with --answer-servers."
            )
        }
        guard profile != nil || client.identity.isEmpty else {
            throw ValidationError("A profile has the accounts of --identity: give --profile, too.")
        }
        guard profile == nil || !kerberos else {
            throw ValidationError(
                "The profile says who answers: write 'kerberos: true' in its account, and leave --kerberos out."
            )
        }
        guard !kerberos || !basic else {
            throw ValidationError("A ticket answers, and no password: leave out --basic or --kerberos.")
        }
        guard profile == nil || !basic else {
            throw ValidationError(
                "The profile says what is allowed: write 'cleartext: true' there, and leave --basic out."
            )
        }
    }

    /// The parents.
    func parents() throws(RelayProblem) -> [RelayParent] {
        var parents: [RelayParent] = []
        for text in parent {
            do throws(RelayParentError) { parents.append(try RelayParent(parsing: text)) } catch {
                throw .parent(error)
            }
        }
        return parents
    }

    var namesListeners: Bool { !listen.isEmpty }

    /// The addresses to listen on.
    func listeners() throws(ListenAddressError) -> [ListenAddress] {
        guard namesListeners else { return parent.isEmpty && script.option == nil ? [] : [.standard] }
        var addresses: [ListenAddress] = []
        for text in listen { addresses.append(try ListenAddress(parsing: text)) }
        return addresses
    }
}

/// Why the arguments describe no relay.
enum RelayProblem: Error, Equatable {
    case parent(RelayParentError)
    case checkedURL(String)
    case list(option: String, String)
    case mapping(option: String, String)
    case forwarding(option: String, String)
    case clientAccounts(String)
    case clientKeytab(String)
    case identity(String)
    /// Nothing that the arguments name can ask for the certificate of --cert.
    case uselessCertificate
    /// A profile that is read again has the first accounts with tokens.
    case tokens
}

extension RelayProblem: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String {
        switch self {
        case .parent(let error): "--parent: \(error)"
        case .mapping(let option, let problem), .forwarding(let option, let problem): "\(option): \(problem)"
        case .clientAccounts(let problem): "--client-accounts: \(problem)"
        case .clientKeytab(let problem): "--client-keytab: \(problem)"
        case .identity(let problem): "--identity: \(problem)"
        case .uselessCertificate:
            "--cert: no parent and no mapped server is reached over TLS, where one could ask for it: write https:// before it, or remove --cert"
        case .tokens:
            "the profile has its first account with 'oauth', whose tokens need the store: start the relay again"
        case .list(let option, let problem): "\(option): \(problem)"
        case .checkedURL(let problem): "--check: \(problem)"
        }
    }
}
