internal import Hostnames
internal import NIOConcurrencyHelpers
public import NIOCore
public import NIOPosix
public import Sallyport
public import SallyportClient
public import SallyportNIO

/// Answers challenges for requests of AsyncHTTPClient.
///
/// AsyncHTTPClient chooses connections itself, verifies no pins, and shows no 407. A request that needs more goes over
/// connections of `AuthenticatedClient`: through a proxy, to an origin with pins or a client certificate, to one that
/// asks for a scheme that authenticates connections, and with a body that can be sent once where an account may answer.
///
/// ```swift
/// let authenticator = HTTPClientAuthenticator(CurrentHandler(handler))
/// let response = try await httpClient.execute(
///     HTTPClientRequest(url: "https://wiki.corp.example/"), authenticator: authenticator, deadline: .now() + .seconds(30)
/// )
/// ```
public final class HTTPClientAuthenticator: Sendable {
    /// The most origins that are remembered to need connections of their own. Beyond it one is forgotten for each new one.
    private static let maximumOrigins = 4096

    /// A body of at most so many bytes is kept, so that it can be sent again after a challenge. A longer one can be sent once.
    public static let keptBodyBytes = 256 << 10

    let own: AuthenticatedClient
    private let boundOrigins = NIOLockedValueBox<Set<Origin>>([])

    /// Makes an authenticator; keep one for the life of the client.
    ///
    /// - Parameters:
    ///   - current: the handler in use; a reload counts for the next request.
    ///   - settings: the proxy and the bounds.
    ///   - tls: roots, pins and client certificates of the connections that are not AsyncHTTPClient's; `nil` for the roots of the
    ///     system and the pins of the profile.
    ///   - group: where those connections run.
    public init(
        _ current: CurrentHandler,
        settings: ClientSettings = ClientSettings(),
        tls: TLSConnector? = nil,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        own = AuthenticatedClient(current, settings: settings, tls: tls, group: group)
    }

    /// The same for requests that are repeated with credentials that `authenticator` finds. A body that can be sent once is not
    /// repeated.
    public init(
        _ authenticator: Authenticator,
        settings: ClientSettings = ClientSettings(),
        tls: TLSConnector? = nil,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        own = AuthenticatedClient(authenticator, settings: settings, tls: tls, group: group)
    }

    /// Closes the connections that no request uses, for example after a sign-out. Those of AsyncHTTPClient are not authenticated, so
    /// they stay.
    public func closeIdleConnections() { own.closeIdleConnections() }

    /// Closes the connections that are not AsyncHTTPClient's.
    public func shutDown() { own.shutDown() }

    var handler: ChallengeHandler { own.current.handler }

    /// Whether `request` cannot go over connections of AsyncHTTPClient.
    func needsOwnConnection(_ request: ClientRequest, _ handler: ChallengeHandler) -> Bool {
        let origin = request.origin
        if own.settings.proxy(origin) != nil { return true }
        if boundOrigins.withLockedValue({ $0.contains(origin) }) { return true }
        if origin.scheme == .https {
            // AsyncHTTPClient verifies by itself, and asks no person.
            if own.authenticator?.asksAboutServers == true || handler.hasTrustedKeys(for: origin.host) { return true }
            if handler.hasPins(for: origin.host) || handler.hasIdentities(for: origin) { return true }
        }
        guard case .once = request.body else { return false }
        let kind = ProtectionSpace.Kind.http(schemes: [], party: .origin)
        return handler.account(for: ProtectionSpace(origin: origin, path: request.path, kind: kind)) != nil
    }

    /// Remembers that `origin` asks for a scheme that authenticates connections.
    func rememberBound(_ origin: Origin) {
        boundOrigins.withLockedValue { origins in
            if origins.count >= Self.maximumOrigins { origins.removeFirst() }
            origins.insert(origin)
        }
    }
}

extension ClientRequest {
    fileprivate var path: String { String(target.prefix { $0 != "?" }) }
}
