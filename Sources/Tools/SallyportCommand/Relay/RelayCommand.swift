internal import ArgumentParser
internal import Foundation
internal import Logging
internal import NIOCore
internal import OfflineVerbs
internal import SallyportRelay
internal import ServiceLifecycle
internal import ServiceSockets
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
            if let check { return try run(check, plan) }
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
                let announced = AnnouncedRelay(
                    relay: relay,
                    text: Self.announcement(of: plan, metrics, isJSON: json),
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

    /// Tries the way to `url` in place of relaying.
    private func run(_ check: String, _ plan: RelayPlan) throws {
        guard !plan.parents.isEmpty || options.script.option != nil else {
            throw RelayProblem.checkedURL(
                "the check goes through a parent: give --parent, --pac, --wpad or --desktop-proxy"
            )
        }
        let report = RelayCheckReport(plan: plan, url: check, isJSON: json)
        guard try Blocking.run({ try await report.run() }) else { throw CommandExit.answerWasNo }
    }

    private static func announcement(
        of plan: RelayPlan,
        _ metrics: SocketAddress?,
        isJSON: Bool
    ) -> RelayAnnouncement {
        RelayAnnouncement(
            parents: plan.parents,
            pac: plan.pac?.place.text,
            chosenBy: plan.chosenBy,
            mappings: plan.settings.mappings,
            tunnels: plan.settings.tunnels,
            socksCount: plan.settings.socksListeners.count,
            metrics: metrics,
            isJSON: isJSON,
            isSecure: plan.settings.listeners.first?.isSecure ?? false
        )
    }
}
