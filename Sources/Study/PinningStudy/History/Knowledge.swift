internal import Corpora
internal import SPKIPins

/// What was known about a host at a given time: the only input of a strategy's rule.
///
/// It contains the captures up to that time, and pins can be made only from keys in it. A rule therefore cannot use
/// later captures, unless its closure captured them; ``PeekAudit`` detects such a rule.
public struct Knowledge: Sendable {
    private let history: ChainHistory
    private let host: Int
    /// How many of the host's captures are known; at least one.
    private let count: Int
    /// Seconds since 1970.
    public let now: Int64

    init(_ history: ChainHistory, host: Int, count: Int, now: Int64) {
        self.history = history
        self.host = host
        self.count = count
        self.now = now
    }

    /// The host's name.
    public var hostname: String { history.hosts[host].endpoint.host }

    /// The host's genuine chains so far, oldest first; never empty.
    public var chains: KnownChains { KnownChains(history: history, host: host, endIndex: count) }

    /// The host's most recent chain.
    public var latest: KnownChain { chains[count - 1] }

    /// The keys of authorities that signed a leaf of this host in the past `days`, most recent first.
    ///
    /// The issuer of the latest chain is always included, even if that chain is older.
    public func issuers(inPastDays days: Int) -> [PinChoice] {
        let captures = history.hosts[host].captures
        let start = now - Int64(days) * 86_400
        var keys: [Int32] = []
        var index = count - 1
        var lastChain: Int32 = -1
        while index >= 0, index == count - 1 || captures[index].last >= start {
            let chain = captures[index].chain
            if chain != lastChain {
                let issuer = history.chains[Int(chain)].issuer
                if !keys.contains(issuer) { keys.append(issuer) }
                lastChain = chain
            }
            index -= 1
        }
        return keys.map { PinChoice(key: $0) }
    }

    /// The root keys of all chains of this host so far.
    public var roots: [PinChoice] {
        history.hosts[host].roots.prefix { $0.position < Int64(count) }.map { PinChoice(key: $0.key) }
    }

    /// All keys of the organisation that signed the host's latest leaf, from the chains of all hosts so far.
    public var keysOfIssuingOrganisation: [PinChoice] {
        let chain = history.chains[Int(history.hosts[host].captures[count - 1].chain)]
        guard chain.organisation >= 0 else { return [PinChoice(key: chain.issuer)] }
        let known = history.organisationKeys[Int(chain.organisation)].prefix { $0.position <= now }
        // The list lacks the host's issuer if another organisation's certificate for its key was seen first.
        let keys = known.map(\.key)
        return (keys.contains(chain.issuer) ? keys : [chain.issuer] + keys).map { PinChoice(key: $0) }
    }
}

/// The chains of a host so far.
public struct KnownChains: RandomAccessCollection, Sendable {
    let history: ChainHistory
    let host: Int
    /// 0.
    public var startIndex: Int { 0 }
    /// How many are known.
    public let endIndex: Int

    /// The chain at `position`.
    /// - Precondition: `position` is in bounds; later chains are not known yet.
    public subscript(position: Int) -> KnownChain {
        precondition(position >= 0 && position < endIndex, "a chain that is not known yet")
        let capture = history.hosts[host].captures[position]
        return KnownChain(history: history, chain: history.chains[Int(capture.chain)], capture: capture)
    }
}

/// A chain that was seen.
public struct KnownChain: Sendable {
    let history: ChainHistory
    let chain: ChainHistory.Chain
    let capture: ChainHistory.Capture

    /// When it was first seen, in seconds since 1970.
    public var first: Int64 { capture.first }
    /// The leaf certificate itself.
    public var leafCertificate: PinChoice { PinChoice(certificate: chain.leaf) }
    /// The leaf's key.
    public var leafKey: PinChoice { PinChoice(key: chain.leafKey) }
    /// The key that signed the leaf; the leaf's own key if the chain has one certificate.
    public var issuerKey: PinChoice { PinChoice(key: chain.issuer) }
    /// The key of the last certificate.
    public var rootKey: PinChoice { PinChoice(key: chain.root) }
    /// The operator's reserve keys when the chain was seen; empty if the recording states none.
    public var keysInReserve: [PinChoice] {
        capture.reserve < 0 ? [] : history.reserves[Int(capture.reserve)].map { PinChoice(key: $0) }
    }
}
