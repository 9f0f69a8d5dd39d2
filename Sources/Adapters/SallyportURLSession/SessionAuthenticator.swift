public import NIOCore
public import NIOPosix
public import Sallyport
public import SallyportClient
public import SallyportNIO

/// Answers challenges for requests of URLSession.
///
/// On Linux URLSession delivers one kind of challenge, Basic on a 401. It hangs if nothing answers it, sends a stream again with no
/// bytes, and passes `Authorization` and cookies on to other origins (6.3.1). Therefore requests with an authenticator go over
/// connections of `AuthenticatedClient`. Of the session they use additional headers, cookies and time limits.
///
/// ```swift
/// let authenticator = SessionAuthenticator(CurrentHandler(handler))
/// let (data, response) = try await URLSession.shared.data(for: request, authenticator: authenticator)
/// ```
public final class SessionAuthenticator: Sendable {
    let client: AuthenticatedClient

    /// Makes an authenticator; keep one for the life of the session.
    ///
    /// - Parameters:
    ///   - current: the handler in use; a reload counts for the next request.
    ///   - settings: the proxy and the bounds. The proxy of the session's configuration is not used.
    ///   - tls: roots, pins and client certificates; `nil` for the roots of the system and the pins of the profile.
    ///   - group: where connections run.
    public init(
        _ current: CurrentHandler,
        settings: ClientSettings = ClientSettings(),
        tls: TLSConnector? = nil,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        client = AuthenticatedClient(current, settings: settings, tls: tls, group: group)
    }

    /// The same for requests that are repeated with credentials that `authenticator` finds. A body that can be sent once is not
    /// repeated.
    public init(
        _ authenticator: Authenticator,
        settings: ClientSettings = ClientSettings(),
        tls: TLSConnector? = nil,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        client = AuthenticatedClient(authenticator, settings: settings, tls: tls, group: group)
    }

    /// Closes the connections that no request uses, for example after a sign-out.
    public func closeIdleConnections() { client.closeIdleConnections() }

    /// Closes all connections.
    public func shutDown() { client.shutDown() }
}
