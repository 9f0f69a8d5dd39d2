internal import ClientAuthentication
internal import HTTPAuthentication
internal import Hostnames
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Sallyport
internal import SallyportNIO

/// What all event loops of a relay share.
final class RelayCore: Sendable {
    let settings: RelaySettings
    /// The accounts for clients without an identity of their own.
    let accounts: AnsweringAccounts
    /// `nil` without identities.
    let identities: IdentityChoice?
    /// Authenticates clients of a proxy, and of a listener that stands for a server; `nil` if they need not.
    let proxyClients: ClientAuthenticator?
    let serverClients: ClientAuthenticator?
    let tls: TLSConnector
    var logger: Logger { settings.logger }
    /// The name in `Via`, by which the relay knows its own requests.
    let pseudonym: String
    let via: String
    let tasks = OwnedTasks()
    let health: ParentHealth
    /// What was refused lately.
    let refusals = RecentRefusals()
    let parents: ParentTable
    /// The parents of the settings.
    let ways: [Way]
    let direct = [Way.direct]
    /// Whether a request may be repeated in another form: a proxy reads another one than a server.
    let mixesForms: Bool

    init(_ settings: RelaySettings, _ current: CurrentHandler, _ authenticator: Authenticator?, _ tls: TLSConnector) {
        self.settings = settings
        accounts = AnsweringAccounts(current, authenticator)
        identities = IdentityChoice(settings.identities)
        let clients = settings.clientAccounts.map { Self.clients($0) }
        proxyClients = clients
        serverClients = clients.map { ClientAuthenticator(.origin, like: $0) }
        self.tls = tls
        health = ParentHealth(count: settings.parents.count)
        parents = ParentTable(settings.parents)
        ways = settings.parents.indices.map { .parent($0) }
        mixesForms = settings.chooser != nil || settings.parents.contains { $0.kind == .socks5 }
        pseudonym = "sallyport-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        via = "Via: 1.1 \(pseudonym)\r\n"
    }

    private static func clients(_ accounts: ClientAccounts) -> ClientAuthenticator {
        var options = accounts.options
        options.party = .proxy
        return ClientAuthenticator(options, directory: accounts.directory)
    }

    /// A connection to a parent was opened.
    func reached(_ parent: Int) {
        guard health.succeeded(parent) else { return }
        logger.notice("the parent can be reached again", metadata: ["parent": "\(parents[parent])"])
    }

    func notReached(_ parent: Int, _ reason: RelayRefusal) {
        guard health.failed(parent, at: .now()) else { return }
        logger.warning("the parent cannot be reached", metadata: ["reason": "\(reason)"])
    }

    /// Tries the parents whose rest has ended.
    func probe(at now: NIODeadline, on eventLoop: any EventLoop) {
        for parent in health.due(at: now) {
            let origin = parents[parent].origin
            let (host, port) = (origin.host.description.trimmingBrackets, origin.port)
            ClientBootstrap(group: eventLoop).connectTimeout(settings.limits.connecting).connect(
                host: host,
                port: Int(port)
            )
            .whenComplete { [self] result in
                switch result {
                case .success(let channel):
                    channel.close(promise: nil)
                    reached(parent)
                case .failure: _ = health.failed(parent, at: .now())
                }
            }
        }
    }
}
