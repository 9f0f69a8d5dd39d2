internal import AllowedSites
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

/// The key of the requests of one connection or pool, which is kept while nothing can change it.
package struct KeptPoolKey {
    private var key: PoolKey?
    /// The path that it is for, in bytes, as rules compare it; `nil` where it is that of all paths.
    private var path: [UInt8]?
    private var source: PoolKeySource?

    package init() {}

    /// Whether the last key is that of all paths.
    package var isOfAllPaths: Bool { key != nil && path == nil }

    /// The key for a request to `path`, always of the same origin and proxy.
    package mutating func key(
        by handler: ChallengeHandler,
        for origin: Origin,
        path: @autoclosure () -> String,
        through proxy: Origin?
    ) -> PoolKey {
        // Before the key is made, so that a password that is replaced meanwhile is noticed next time.
        let source = handler.poolKeySource
        let known = self.source == source ? key : nil
        if let known, self.path == nil { return known }
        let path = path()
        if let known, let kept = self.path, path.utf8.elementsEqual(kept) { return known }
        let made = handler.poolKey(for: origin, path: path, through: proxy)
        (key, self.path) = (made, handler.hasOneAnswer(forAllPathsOf: origin) ? nil : [UInt8](path.utf8))
        self.source = source
        return made
    }
}

/// What keys depend on besides origin, path and proxy, and what can change: another handler, or another password in the same one.
package struct PoolKeySource: Equatable, Sendable {
    /// A number, because a reference would keep passwords in memory, and a weak one makes each use of the handler slower.
    fileprivate let handler: UInt64
    fileprivate let replacements: Int
}

extension ChallengeHandler {
    /// What the keys of this handler depend on now.
    package var poolKeySource: PoolKeySource { PoolKeySource(handler: number, replacements: passwordReplacements) }

    /// Whether no rule of sites or accounts tells paths of `origin` apart.
    fileprivate func hasOneAnswer(forAllPathsOf origin: Origin) -> Bool {
        guard sites.verdict(forAllPathsOf: origin) != nil else { return false }
        return compiled.accounts.assignment(forAllPathsOf: origin) != nil
    }

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
