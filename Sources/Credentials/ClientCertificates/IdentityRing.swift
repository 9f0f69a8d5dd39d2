public import Credentials
internal import Synchronization

/// The keys of the client identities in use. Renewed identities replace them while connections are made.
///
/// One ring is shared by the TLS of clients and by what renews the identities. A key is found by the whole identity, name and
/// certificates, so a certificate never meets the key of another one.
public final class IdentityRing: Sendable {
    private struct Keys {
        var current: [ClientIdentity: IdentityKey] = [:]
        /// For handshakes that began before the replacement.
        var previous: [ClientIdentity: IdentityKey] = [:]
    }

    private let keys = Mutex(Keys())

    /// Makes a ring of identities.
    public init(_ identities: [KeyedIdentity] = []) { replace(by: identities) }

    /// Replaces all identities. The keys of those before stay until the next replacement.
    public func replace(by identities: [KeyedIdentity]) {
        let added = Dictionary(identities.map { ($0.identity, $0.key) }) { first, _ in first }
        keys.withLock { $0 = Keys(current: added, previous: $0.current) }
    }

    /// The key of an identity; `nil` if the ring does not have it.
    public func key(of identity: ClientIdentity) -> IdentityKey? {
        keys.withLock { $0.current[identity] ?? $0.previous[identity] }
    }
}

extension IdentityRing: CustomStringConvertible {
    /// The number of identities.
    public var description: String { "\(keys.withLock { $0.current.count }) identities" }
}
