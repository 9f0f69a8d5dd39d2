internal import ArgumentParser
internal import ClientAuthentication
internal import ClientDirectories
internal import Foundation
internal import HTTPAuthentication
internal import Logging
internal import OfflineVerbs
internal import SallyportGateway
internal import ServiceLifecycle
internal import ServiceSockets
internal import UnixSignals

/// `sallyport gateway`: tells the proxy in front of a server who a client is.
struct GatewayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Tells nginx, Caddy or Envoy, in front of a server, who a client is.",
        discussion: """
            The proxy asks about each request; the gateway checks the client's password or ticket and answers yes, with the account in X-Sallyport-User, \
            X-Sallyport-Domain and X-Sallyport-Scheme, or no. Put what --print-config writes into the proxy's configuration. The proxy's connections \
            carry many clients' requests, so what authenticates one request is offered: tickets of Kerberos, Digest and Basic; Basic to clients with TLS \
            alone, unless --cleartext is given. A client that the directory cannot judge is refused. SIGHUP reads --client-accounts again; SIGTERM and \
            SIGINT end the gateway after the requests under way. Exit status: 0 it was told to end; 2 could not run.
            """
    )

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("The proxy that asks.", valueName: "proxy")
    )
    var front: FrontArgument?

    @Option(
        help: ArgumentHelp(
            "Listen here: unix:/PATH, or ADDRESS:PORT of loopback. Whoever can connect can guess passwords in the name of any client.",
            valueName: "address"
        )
    )
    var listen = "unix:/run/sallyport/gateway.sock"

    @Option(
        name: .customLong("socket-mode"),
        help: ArgumentHelp(
            "The permissions of the socket, in octal digits; the proxy's user needs to write.",
            valueName: "mode"
        )
    )
    var socketMode = SocketModeArgument.standard

    @OptionGroup var clients: ClientSourceOptions

    @Option(
        help: ArgumentHelp(
            "What is offered, with commas between and the best first, of negotiate, digest-sha256, digest-md5 and basic. Without it: all that the accounts allow. Clients of nginx get the first one alone.",
            valueName: "schemes"
        )
    )
    var offer: OfferArgument?

    @Option(
        help: ArgumentHelp("The name of the protected area, which clients show to their user.", valueName: "text")
    )
    var realm = "sallyport gateway"

    @Flag(help: "Offer Basic to clients without TLS, too: everyone on their path can read the password.")
    var cleartext = false

    @Option(
        name: .customLong("print-config"),
        help: ArgumentHelp(
            "Write what this proxy's configuration needs to ask a gateway at --listen, and end.",
            valueName: "proxy"
        )
    )
    var printConfig: FrontArgument?

    @Flag(help: "Write one JSON object a line: the address to standard output, the log to standard error.")
    var json = false

    func run() throws {
        do {
            let address: GatewayAddress
            do throws(GatewayAddressError) { address = try GatewayAddress(parsing: listen) } catch {
                throw GatewayProblem.listen(error)
            }
            if let printConfig { return try StandardOutput.write(printConfig.proxy.configuration(asking: address)) }
            guard let front else { throw GatewayProblem.noFront }
            guard ClientAuthenticationOptions.isRealm(realm) else { throw GatewayProblem.realm(realm) }
            guard let source = try clients.open() else { throw GatewayProblem.noAccounts }
            try serve(address, front.proxy, source)
        } catch let status as ExitCode {
            throw status
        } catch {
            StandardError.complain("gateway", "\(error)")
            throw CommandExit.couldNotRun
        }
    }

    private func serve(_ address: GatewayAddress, _ front: FrontProxy, _ source: ClientSource) throws {
        var options = source.options(.origin, realm: realm, offers: try offers(source))
        options.allowsCleartextBasic = cleartext
        let authenticator = ClientAuthenticator(options, directory: source.directory)
        let (log, json, file, mode) = (LogLines(isJSON: json), json, source.file, socketMode.mode)
        let notices = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"]
        DescriptorLimit.raise()
        try Blocking.run {
            let logger = Logger(label: "gateway") { _ in log }
            let gateway = Gateway(authenticator, at: address, behind: front, socketMode: mode, logger: logger)
            // Before the gateway says that it runs, because the signal would end the process.
            let hangUps = await UnixSignalsSequence(trapping: .sighup)
            let announced = AnnouncedGateway(gateway: gateway, front: front, isJSON: json, notices: notices)
            let reloads = AccountsReloads(hangUps: hangUps, file: file, logger: logger, notices: notices)
            // What the group itself does is of no interest to a person.
            var quiet = logger
            quiet.logLevel = .error
            try await ServiceGroup(
                configuration: .init(
                    services: [
                        .init(service: announced, successTerminationBehavior: .gracefullyShutdownGroup),
                        .init(service: reloads),
                    ],
                    logger: quiet
                )
            ).run()
            log.finish()
        }
    }

    /// What is offered. NTLM authenticates connections, and those of a proxy belong to many clients.
    private func offers(_ source: ClientSource) throws(GatewayProblem) -> [ClientScheme] {
        let possible = source.schemes.filter { $0 != .ntlm && ($0 != .negotiate || source.keytab != nil) }
        guard let offer else {
            guard !possible.isEmpty else { throw .nothingToOffer }
            return possible
        }
        for scheme in offer.schemes where !possible.contains(scheme) {
            throw .offer(scheme.argument, possible.map(\.argument))
        }
        return offer.schemes
    }
}

/// Why the arguments describe no gateway.
enum GatewayProblem: Error, Equatable {
    case listen(GatewayAddressError)
    case noFront
    case realm(String)
    case noAccounts
    case nothingToOffer
    case offer(String, [String])
}

extension GatewayProblem: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String {
        switch self {
        case .listen(let error): "--listen: \(error)"
        case .noFront:
            "which proxy asks? Give --for \(FrontProxy.allCases.map(\.rawValue).joined(separator: " or --for "))"
        case .realm(let text):
            "--realm: \(text.debugDescription): write 1 to 256 characters of ASCII without quotes and backslashes"
        case .noAccounts:
            "there are no accounts to check clients with: give --client-accounts, --client-directory or --client-keytab"
        case .nothingToOffer:
            "the accounts allow NTLM alone, which authenticates a connection: give accounts with passwords, winbind:DOMAIN or --client-keytab"
        case .offer(let scheme, let possible):
            "--offer: \(scheme): the accounts allow \(possible.isEmpty ? "nothing that authenticates a request" : possible.joined(separator: ", "))"
        }
    }
}

/// A gateway that says where it listens.
private struct AnnouncedGateway: Service {
    let gateway: Gateway
    let front: FrontProxy
    let isJSON: Bool
    let notices: String?

    /// Ends with SIGINT or SIGTERM, and the services beside it end then.
    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let address = try await gateway.start()
        let text =
            isJSON
            ? JSONValue.object([("listen", .string("\(address)")), ("for", .string(front.rawValue))]).text
            : "listening on \(address) for \(front.rawValue)"
        try StandardOutput.write(text + "\n")
        ServiceNotice.ready.send(to: notices)
        for await _ in signals.cancelOnGracefulShutdown() { break }
        ServiceNotice.stopping.send(to: notices)
        await gateway.stop()
    }
}

/// Reads the file of accounts again on SIGHUP. One that cannot be read leaves the old accounts in use.
private struct AccountsReloads: Service {
    let hangUps: UnixSignalsSequence
    let file: AccountsFile?
    let logger: Logger
    let notices: String?

    func run() async throws {
        for await _ in hangUps.cancelOnGracefulShutdown() {
            ServiceNotice.reloading.send(to: notices)
            defer { ServiceNotice.ready.send(to: notices) }
            guard let file else {
                logger.notice("SIGHUP: there is no file of accounts to read")
                continue
            }
            do throws(AccountsFileError) {
                try file.reload()
                logger.notice("SIGHUP: the accounts are read again")
            } catch {
                logger.error("SIGHUP: the old accounts stay in use", metadata: ["reason": "\(error)"])
            }
        }
    }
}
