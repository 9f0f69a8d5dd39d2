internal import ClientAuthentication
internal import CredentialSources
internal import HTTPAuthentication
internal import Hostnames
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Sallyport
internal import SallyportNIO
internal import ServiceSockets
internal import Synchronization

/// What all event loops of a relay share.
final class RelayCore: Sendable {
    let settings: RelaySettings
    /// The accounts for clients without an identity of their own.
    let accounts: AnsweringAccounts
    /// `nil` without identities.
    let identities: ClientIdentification?
    /// Authenticates clients of a proxy, and of a listener that stands for a server; `nil` if they need not.
    let proxyClients: ClientAuthenticator?
    let serverClients: ClientAuthenticator?
    let tls: TLSConnector
    var logger: Logger { settings.logger }
    /// The name in `Via`, by which the relay knows its own requests.
    let pseudonym: String
    let via: String
    let tasks = OwnedTasks()
    /// Requests that no longer wait, and keep their question open: a person may answer it before the next request.
    private let openQuestions = OwnedTasks()
    /// Says why questions go away at the end of the relay.
    let withdrawal = QuestionWithdrawal()
    /// The most of them. Beyond it a question ends with its last waiting request.
    private static let mostKeptRequests = 64
    /// Gets each refusal, for a check; `nil` otherwise.
    let refused: (@Sendable (RelayRefusal) -> Void)?
    let health: ParentHealth
    /// What was refused lately.
    let refusals = RecentRefusals()
    /// The bytes that unfinished heads of clients take.
    let unfinishedHeads = Atomic<Int>(0)
    /// How often this machine had no descriptor, memory or port for a connection.
    let shortages = Atomic<Int>(0)
    let parents: ParentTable
    /// What NTLM and Kerberos of clients are bound to, at listeners with TLS.
    let channelBindings: ListenerBindings
    /// The parents of the settings.
    let ways: [NextHop]
    let direct = [NextHop.direct]
    /// `nil` without changes.
    let fieldChanges: FieldChanges?
    /// Whether a request may be repeated in another form: a proxy reads another one than a server.
    let mixesForms: Bool

    init(
        _ settings: RelaySettings,
        _ current: CurrentHandler,
        _ authenticator: Authenticator?,
        _ tls: TLSConnector,
        refused: (@Sendable (RelayRefusal) -> Void)? = nil
    ) {
        self.settings = settings
        self.refused = refused
        channelBindings = ListenerBindings(settings)
        accounts = AnsweringAccounts(current, authenticator)
        identities = ClientIdentification(settings.identities, settings.clientAccounts?.directory)
        let clients = settings.clientAccounts.map { Self.clients($0) }
        proxyClients = clients
        serverClients = clients.map { ClientAuthenticator(.origin, like: $0) }
        self.tls = tls
        health = ParentHealth(count: settings.parents.count)
        parents = ParentTable(settings.parents, settings.destinations)
        ways = settings.parents.indices.map { .parent($0) }
        mixesForms =
            settings.chooser != nil || settings.fallsBackToDirect || settings.parents.contains { $0.kind == .socks5 }
        fieldChanges = settings.fieldChanges.isEmpty ? nil : settings.fieldChanges
        pseudonym = "sallyport-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        via = "Via: 1.1 \(pseudonym)\r\n"
    }

    private static func clients(_ accounts: ClientAccounts) -> ClientAuthenticator {
        var options = accounts.options
        options.party = .proxy
        return ClientAuthenticator(options, directory: accounts.directory)
    }

    /// Runs what may ask a person, who is told at the end of the relay why the question goes away.
    func ask(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        QuestionWithdrawal.$current.withValue(withdrawal) { Task { await body() } }
    }

    /// Takes over the question of a request that waits no more.
    ///
    /// - Returns: whether the question stays open.
    func keepOpen(_ question: Task<Void, Never>) -> Bool {
        openQuestions.keep(question, most: Self.mostKeptRequests)
    }

    /// Withdraws the questions that no request waits for.
    func endQuestions() async {
        withdrawal.explain("the relay ends")
        await openQuestions.end()
    }

    /// A parent takes requests: one over TLS has sent the first bytes of a response, any other one was connected to.
    func reached(_ parent: Int) {
        guard health.succeeded(parent) else { return }
        logger.notice("the parent can be reached again", metadata: ["parent": "\(parents[parent])"])
    }

    /// A connection that carries no request was opened to a parent.
    private func opened(_ parent: Int) {
        let (kind, scheme) = (parents[parent].kind, parents[parent].origin.scheme)
        // Of others it does not show whether TLS or the log-on of SOCKS will succeed.
        if kind == .http, scheme == .http { reached(parent) } else { health.opened(parent) }
    }

    func notReached(_ parent: Int, _ reason: RelayRefusal) {
        switch reason {
        // It does not judge the parent, or it was not asked.
        case .shortage, .forbiddenProxy: return
        default: break
        }
        let wasUsed = health.failed(parent, at: .now(), isUnreachable: reason.isUnreachable)
        // A parent that rests already may do so for another reason by now.
        guard refusals.isNews("parent: \(reason.news)", at: .now()) || wasUsed else { return }
        logger.warning("the parent cannot be reached", metadata: ["reason": "\(reason)"])
    }

    /// Counts a connection that was not made because this machine lacks something; `nil` for another reason.
    func noteShortage(_ error: any Error) -> LocalShortage? {
        guard let shortage = LocalShortage(error) else { return nil }
        shortages.add(1, ordering: .relaxed)
        return shortage
    }

    /// No clients are accepted for a while.
    func notePause(_ pause: AcceptGate.Pause) {
        let reason: String
        switch pause {
        case .full(let most):
            reason =
                "\(most) are connected, the bound of the relay or half of its descriptors: raise RelayLimits.clients or the limit "
                + "(ulimit -n, LimitNOFILE= of systemd)"
        case .shortage(let shortage):
            shortages.add(1, ordering: .relaxed)
            reason = "\(shortage)"
        }
        guard refusals.isNews("accept: \(reason)", at: .now()) else { return }
        logger.warning("no more clients are accepted until some leave", metadata: ["reason": "\(reason)"])
    }

    /// A client was closed at once, because its address has as many as one may.
    func noteCrowd(_ address: String) {
        guard refusals.isNews("crowd: \(address)", at: .now()) else { return }
        logger.warning(
            "clients are closed at once",
            metadata: [
                "address": "\(address)",
                "reason":
                    "one address has all its connections: raise RelayLimits.clientsPerAddress if many users share it",
            ]
        )
    }

    /// Tries the parents whose rest has ended.
    func probe(at now: NIODeadline, on eventLoop: any EventLoop) {
        for parent in health.due(at: now) {
            ClientBootstrap(group: eventLoop).connectTimeout(settings.limits.connecting)
                .connect(
                    to: parents[parent].origin,
                    isNamed: parents.isNamed(parent),
                    settings.destinations,
                    on: eventLoop
                )
                .whenComplete { [self] result in
                    switch result {
                    case .success(let channel):
                        channel.close(promise: nil)
                        opened(parent)
                    case .failure(let error):
                        if noteShortage(error) != nil { return health.notProbed(parent) }
                        let isUnreachable = !FilteringResolver.isForbidden(error)
                        _ = health.failed(parent, at: .now(), isUnreachable: isUnreachable)
                    }
                }
        }
    }
}
