internal import Credentials
public import Hostnames

/// What a connection was opened and authenticated for.
///
/// A connection that was used with one key must never carry a request with another key. Otherwise a request could get the
/// identity of another account.
public struct PoolKey: Hashable, Sendable {
    /// The origin, or the proxy for a request in absolute form.
    public let origin: Origin
    /// The proxy before the origin, or `nil`.
    public let proxy: Origin?
    /// The account and its password for the origin; 0 if none answers there.
    private let originAccount: UInt64
    /// The same for the proxy.
    private let proxyAccount: UInt64
    /// The name of the client certificate, or `nil`.
    private let identity: String?
    /// The profile: another one may have other pins, sites and schemes.
    private let profile: UInt64

    init(
        origin: Origin,
        proxy: Origin?,
        originAccount: UInt64,
        proxyAccount: UInt64,
        identity: String?,
        profile: UInt64
    ) {
        self.origin = origin
        self.proxy = proxy
        self.originAccount = originAccount
        self.proxyAccount = proxyAccount
        self.identity = identity
        self.profile = profile
    }
}

extension ChallengeHandler {
    /// The key for connections that may carry a request to `path` at `origin`.
    ///
    /// - Parameters:
    ///   - origin: the server.
    ///   - path: the path of the request; accounts may differ between paths of one server.
    ///   - proxy: the proxy before it, or `nil`.
    public func poolKey(for origin: Origin, path: String, through proxy: Origin? = nil) -> PoolKey {
        let identity: String? =
            if case .present(let identity) = self.identity(for: origin, authorities: []) { identity.name } else { nil }
        return PoolKey(
            origin: origin,
            proxy: proxy,
            originAccount: accountNumber(origin, path),
            proxyAccount: proxy.map { accountNumber($0, "/") } ?? 0,
            identity: identity,
            profile: compiled.number
        )
    }

    private func accountNumber(_ origin: Origin, _ path: String) -> UInt64 {
        guard siteRefusal(origin, path: path) == nil,
            let index = compiled.accounts.assignment(for: origin, path: path)
        else { return 0 }
        return preparedAccount(at: index).number
    }
}
