internal import Corpora

/// When a host changed its chain, and which part of the chain changed.
public struct HostTimeline: Codable, Equatable, Sendable {
    /// How far up a chain changed.
    public enum Kind: String, Codable, Sendable {
        /// The leaf alone.
        case leaf
        /// Another authority's key signed the leaf, below the same root.
        case issuer
        /// The root changed.
        case root
    }

    /// A change; times in seconds since 1970.
    public struct Change: Codable, Equatable, Sendable {
        /// The last sight of the old chain.
        public let after: Int64
        /// The first sight of the new chain.
        public let by: Int64
        /// How far up the chain changed.
        public let kind: Kind
    }

    /// The host as the recording writes it.
    public let host: String
    /// The first capture.
    public let first: Int64
    /// The last capture.
    public let last: Int64
    /// The changes, oldest first.
    public let changes: [Change]

    init(_ host: ChainHistory.Host, _ chains: [ChainHistory.Chain]) {
        self.host = host.endpoint.description
        first = host.captures.first?.first ?? 0
        last = host.captures.map(\.last).max() ?? 0
        changes = zip(host.captures, host.captures.dropFirst()).compactMap { earlier, later in
            guard earlier.chain != later.chain else { return nil }
            let (old, new) = (chains[Int(earlier.chain)], chains[Int(later.chain)])
            let kind: Kind = old.root != new.root ? .root : old.issuer != new.issuer ? .issuer : .leaf
            return Change(after: min(earlier.last, later.first), by: later.first, kind: kind)
        }
    }
}
