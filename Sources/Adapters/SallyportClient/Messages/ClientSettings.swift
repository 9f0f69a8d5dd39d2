public import Hostnames
public import NIOCore

/// The bounds of an ``AuthenticatedClient``, and its proxies.
public struct ClientSettings: Sendable {
    /// The proxy for an origin; `nil` for a direct connection.
    public var proxy: @Sendable (Origin) -> Origin? = { _ in nil }
    /// Where several ways lead to an origin: its proxies, in the order in which they are tried, `nil` for a direct connection. It counts in
    /// place of ``proxy``, is asked once for each hop of a request, and may take as long as the request may. An empty list is a direct
    /// connection.
    ///
    /// The next way is tried where no connection could be opened, with its TLS if the proxy has some, before a byte of the request was sent.
    /// What a proxy answers ends the search.
    public var ways: (@Sendable (Origin) async throws -> [Origin?])?
    /// Hears that a way to an origin could not be taken, and why, before the next one is tried.
    public var wayFailed: @Sendable (_ origin: Origin, _ proxy: Origin?, _ error: any Error) -> Void = { _, _, _ in }
    /// How long connecting may take.
    public var connectLimit: TimeAmount = .seconds(10)
    /// How long a connection without a request is kept.
    public var idleLimit: TimeAmount = .seconds(30)
    /// How long to wait for `100 Continue` before a body that can be sent once.
    public var continueLimit: TimeAmount = .seconds(1)
    /// How long a request may take, with its response's body, where its caller names no deadline.
    public var totalLimit = TimeAmount.hours(1)
    /// How many bytes of a refused response are read so that its connection can be used again.
    public var drainedBytes = 1 << 20
    /// How long a refused response is read so that its connection can be used again.
    public var drainLimit = TimeAmount.seconds(10)
    /// How many connections one key may have; further requests wait.
    public var connectionsPerKey = 64
    /// How many idle connections are kept in all.
    public var idleConnections = 1024
    /// How many redirects are followed.
    public var redirects = 8
    /// Whether answers may go out before a challenge, where one was accepted before.
    public var answersInAdvance = true

    /// The default bounds, without a proxy.
    public init() {}
}

extension ClientSettings {
    /// The ways to an origin; at least one.
    func everyWay(to origin: Origin) async throws -> [Origin?] {
        guard let ways else { return [proxy(origin)] }
        let found = try await ways(origin)
        return found.isEmpty ? [nil] : found
    }
}
