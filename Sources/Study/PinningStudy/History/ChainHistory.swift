public import Corpora
internal import SPKIPins

/// A recording, arranged host by host for a study.
///
/// Keys, chains and organisations are numbered once, so that a replay compares small integers. It is read by many threads
/// and never changes.
public final class ChainHistory: Sendable {
    /// A genuine chain at one host; times in seconds since 1970.
    struct Capture {
        let first: Int64
        let last: Int64
        let chain: Int32
        /// Index into ``reserves``; -1 for none.
        let reserve: Int32
    }

    /// A chain that was not the host's own.
    struct Impostor {
        let first: Int64
        let last: Int64
        let chain: Int32
        let label: ChainLabel
    }

    /// A key that turned up, and when for the first time: `position` counts captures or seconds.
    struct Appearance {
        let position: Int64
        let key: Int32
    }

    /// A leaf's key that somebody else has: from `time` on, with the last chain that the host served below it.
    struct Leak {
        let time: Int64
        let chain: Int32
    }

    struct Host {
        let endpoint: RecordedEndpoint
        var captures: [Capture] = []
        var impostors: [Impostor] = []
        /// In the order in which the host left the keys.
        var leaks: [Leak] = []
        /// Roots in the order of the first capture that had them; `position` is the capture's index.
        var roots: [Appearance] = []

        /// When the last chain of any kind was seen.
        var end: Int64 {
            max(captures.map(\.last).max() ?? .min, impostors.map(\.last).max() ?? .min)
        }
    }

    /// A validated chain by its keys. Numbers alone: a replay copies chains by the million, and counts no references.
    struct Chain {
        /// Where its keys stand in ``chainKeys``, leaf to anchor.
        var start: Int32 = 0
        var count: Int32 = 0
        /// The leaf's certificate; -1 for a chain that no observation validated.
        var leaf: Int32 = -1
        var leafKey: Int32 = -1
        /// The authority's key that signed the leaf, or the leaf's own where there is nothing above it.
        var issuer: Int32 = -1
        var root: Int32 = -1
        /// Of the authority that signed the leaf; -1 where the leaf is the whole chain.
        var organisation: Int32 = -1

        var places: Range<Int> { Int(start)..<Int(start + count) }
    }

    /// What was recorded.
    public let recording: ChainRecording
    /// The hosts with a genuine, validated chain, in the order of their names.
    let hosts: [Host]
    /// Observations that no strategy can be judged by: their chain did not validate.
    let unvalidated: Int
    let chains: [Chain]
    let chainKeys: [Int32]
    /// Keys that operators held in reserve, where somebody said so.
    let reserves: [[Int32]]
    let keys: [Pin]
    let keyNumbers: [Pin: Int32]
    let organisations: [String]
    /// Authorities' keys by organisation, in the order of the second when one was first seen anywhere.
    let organisationKeys: [[Appearance]]
    let authorities: AuthorityGraph

    /// Arranges `recording`.
    ///
    /// - Complexity: linear in observations and certificates.
    public init(_ recording: ChainRecording) {
        self.recording = recording
        var numbering = KeyNumbering(recording)
        var hosts = recording.endpoints.map { Host(endpoint: $0) }
        /// By host, the latest chain whose leaf's key is not that of the last capture.
        var replaced = [Int32](repeating: -1, count: hosts.count)
        var unvalidated = 0
        var firstSeen = [Int64?](repeating: nil, count: numbering.keys.count)
        var order: [Int32] = []
        var reserves: [[Int32]] = []
        for observation in recording.observations {
            let number = recording.chainNumber(of: observation)
            guard number >= 0 else {
                unvalidated += 1
                continue
            }
            let host = Int(observation.endpoint)
            let chain = Int32(number)
            numbering.learn(recording, observation)
            guard observation.label == .genuine else {
                hosts[host].impostors.append(
                    Impostor(first: observation.first, last: observation.last, chain: chain, label: observation.label)
                )
                continue
            }
            let (leafKey, root) = (numbering.chains[number].leafKey, numbering.chains[number].root)
            for place in numbering.chains[number].places.dropFirst() {
                let key = numbering.chainKeys[place]
                guard firstSeen[Int(key)] == nil else { continue }
                firstSeen[Int(key)] = observation.first
                order.append(key)
            }
            if !hosts[host].roots.contains(where: { $0.key == root }) {
                hosts[host].roots.append(Appearance(position: Int64(hosts[host].captures.count), key: root))
            }
            if let last = hosts[host].captures.last, numbering.chains[Int(last.chain)].leafKey != leafKey {
                replaced[host] = last.chain
            }
            if let time = recording.previousKeyLeak(of: observation), hosts[host].leaks.last?.time != time,
                replaced[host] >= 0
            {
                hosts[host].leaks.append(Leak(time: time, chain: replaced[host]))
            }
            let reserve = recording.nextKeys(of: observation)
            if !reserve.isEmpty { reserves.append(numbering.numbers(of: reserve)) }
            hosts[host].captures.append(
                Capture(
                    first: observation.first,
                    last: observation.last,
                    chain: chain,
                    reserve: reserve.isEmpty ? -1 : Int32(reserves.count - 1)
                )
            )
        }
        var organisationKeys = [[Appearance]](repeating: [], count: numbering.organisations.count)
        for key in order {
            let organisation = numbering.organisation(ofKey: key)
            guard organisation >= 0 else { continue }
            organisationKeys[Int(organisation)].append(Appearance(position: firstSeen[Int(key)] ?? 0, key: key))
        }
        self.hosts = hosts.filter { !$0.captures.isEmpty }
        self.unvalidated = unvalidated
        self.organisationKeys = organisationKeys
        authorities = AuthorityGraph(numbering)
        chains = numbering.chains
        chainKeys = numbering.chainKeys
        self.reserves = reserves
        keys = numbering.keys
        keyNumbers = numbering.keyNumbers
        organisations = numbering.organisations
    }

    /// Whether the chain with this number has what `pin` stands for.
    @inline(__always)
    func has(_ pin: PinChoice, chain number: Int32) -> Bool {
        let chain = chains[Int(number)]
        if pin.certificate >= 0 { return chain.leaf == pin.certificate }
        for place in chain.places where chainKeys[place] == pin.key {
            if pin.position.accepts(index: place - Int(chain.start), of: Int(chain.count)) { return true }
        }
        return false
    }

    /// How many hosts the study has.
    public var hostCount: Int { hosts.count }

    /// How many genuine captures the study has.
    public var captureCount: Int { hosts.reduce(0) { $0 + $1.captures.count } }
}
