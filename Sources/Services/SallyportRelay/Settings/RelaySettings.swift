public import AllowedSites
public import Hostnames
public import Logging
public import SallyportNIO
public import ServiceSockets

/// Where a relay listens, and where it sends requests.
public struct RelaySettings: Sendable {
    /// The addresses to listen on. All are of loopback, unless ``clients`` or ``clientAccounts`` say who may use the others.
    public var listeners = [ListenAddress.standard]
    /// The addresses on which the relay stands for a server. The rules of ``destinations`` do not refuse these servers.
    public var mappings: [RelayMapping] = []
    /// The addresses whose connections lead to one fixed server through a parent. They follow the rules of ``listeners``.
    public var tunnels: [RelayTunnel] = []
    /// The addresses that take SOCKS version 5 (RFC 1928): CONNECT alone, without a log-on, or with a user and a password of ``clientAccounts``. They
    /// follow the rules of ``listeners``.
    public var socksListeners: [ListenAddress] = []
    /// What the relay shows to clients that speak TLS to it.
    public var certificate: ListenerCertificate?
    /// Sockets that listen already, as ``ActivationSockets`` takes them; the relay closes them at its end.
    public var sockets: [Int32] = []
    /// The addresses of clients that may use listeners which other machines reach, as `SiteDialect.noProxy` reads them. Whoever has
    /// such an address uses the accounts of the relay, unless ``clientAccounts`` are set, too.
    public var clients: SiteTrie?
    /// How clients authenticate themselves, at every listener; `nil` if they need not.
    public var clientAccounts: ClientAccounts?
    /// What becomes of the channel bindings that clients of listeners with TLS send with NTLM and Kerberos.
    public var channelBinding = ChannelBindingDemand.accepted
    /// Accounts of the profile for some clients. The others get those of the relay.
    public var identities: [RelayIdentity] = []
    /// The proxies that get the requests. The first one is used, and the next ones while it cannot be reached.
    public var parents: [RelayParent]
    /// Chooses the proxies for each server, in place of ``parents``; these only say then which proxies are known before.
    public var chooser: (any ProxyChooser)?
    /// What is reached without a parent, and what is not served.
    public var destinations = DestinationRules()
    /// Whether challenges of servers are answered, too, where the profile has an account for the server, for requests over http
    /// whose client sends no answer of its own. Every client of the relay acts with these accounts then.
    public var answersServers = false
    /// Whether a request goes directly while no parent can be reached. It leaves without the parent's rules and log then.
    public var fallsBackToDirect = false
    /// Fields that requests to servers get besides, and those of clients that they lose.
    public var fieldChanges = FieldChanges()
    /// The bounds.
    public var limits = RelayLimits()
    /// Gets what happens: refused passwords and parents that cannot be reached, with `debug` also each refused request. No entry
    /// has a secret, a path or a query.
    public var logger = Logger(label: "sallyport.relay") { _ in SwiftLogNoOpLogHandler() }

    /// A relay before one or more proxies, with the default address and bounds.
    public init(parents: Origin...) { self.parents = parents.map { RelayParent($0) } }
}
