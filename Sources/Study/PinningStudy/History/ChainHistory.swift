public import Corpora
internal import SPKIPins

/// A recording, grouped by host for a study.
///
/// Keys, chains and organisations are numbered once, so that a replay compares small integers. It is immutable, so many
/// threads can read it.
public final class ChainHistory: Sendable {
    /// A genuine chain at one host; times in seconds since 1970.
    struct Capture {
        let first: Int64
        let last: Int64
        let chain: Int32
        /// Index into ``reserves``; -1 for none.
        let reserve: Int32
    }

    /// A chain that does not belong to the host.
    struct Impostor {
        let first: Int64
        let last: Int64
        let chain: Int32
        let label: ChainLabel
    }

    /// A key and its first appearance: `position` is a capture index or seconds since 1970.
    struct Appearance {
        let position: Int64
        let key: Int32
    }

    /// A leaf's key that leaked at `time`, and the last chain that the host served with this key.
    struct Leak {
        let time: Int64
        let chain: Int32
    }

    struct Host {
        let endpoint: RecordedEndpoint
        var captures: [Capture] = []
        var impostors: [Impostor] = []
        /// In the order in which the host replaced the keys.
        var leaks: [Leak] = []
        /// Roots in the order of the first capture that had them; `position` is the capture's index.
        var roots: [Appearance] = []

        /// The last time at which a genuine chain or an impostor's chain was seen.
        var end: Int64 {
            max(captures.map(\.last).max() ?? .min, impostors.map(\.last).max() ?? .min)
        }
    }

    /// A validated chain as key numbers. It holds only integers, because a replay copies millions of chains and
    /// reference counting
    /// would slow it down.
    struct Chain {
        /// Index of its first key in ``chainKeys``; the keys are stored from leaf to anchor.
        var start: Int32 = 0
        var count: Int32 = 0
        /// The number of the leaf certificate; -1 for a chain without a validated observation.
        var leaf: Int32 = -1
        var leafKey: Int32 = -1
        /// The authority's key that signed the leaf, or the leaf's own key if the chain has one certificate.
        var issuer: Int32 = -1
        var root: Int32 = -1
        /// The organisation of the authority that signed the leaf; -1 if the chain has one certificate.
        var organisation: Int32 = -1

        var places: Range<Int> { Int(start)..<Int(start + count) }
    }

    /// The recording that this history was built from.
    public let recording: ChainRecording
    /// The hosts with a genuine, validated chain, in the order of their names.
    let hosts: [Host]
    /// The number of observations whose chain did not validate; the study ignores them.
    let unvalidated: Int
    /// How many of them could not be judged, because the recorder does not verify such signatures.
    let unjudged: Int
    /// The servers whose chains never validated, in the order of their names.
    let unstudied: [RecordedEndpoint]
    let chains: [Chain]
    let chainKeys: [Int32]
    /// Reserve keys of operators, as the recording states them.
    let reserves: [[Int32]]
    let keys: [Pin]
    let keyNumbers: [Pin: Int32]
    let organisations: [String]
    /// Authorities' keys by organisation, ordered by the second of their first appearance at any host.
    let organisationKeys: [[Appearance]]
    let authorities: IssuedKeys

    /// Groups `recording` by host and numbers its keys.
    ///
    /// - Complexity: linear in observations and certificates.
    public init(_ recording: ChainRecording) {
        self.recording = recording
        var numbering = KeyNumbering(recording)
        var hosts = recording.endpoints.map { Host(endpoint: $0) }
        /// By host, the latest chain whose leaf key differs from the leaf key of the last capture.
        var replaced = [Int32](repeating: -1, count: hosts.count)
        var (unvalidated, unjudged) = (0, 0)
        var isUnstudied = [Bool](repeating: false, count: hosts.count)
        var firstSeen = [Int64?](repeating: nil, count: numbering.keys.count)
        var order: [Int32] = []
        var reserves: [[Int32]] = []
        for observation in recording.observations {
            let number = recording.chainNumber(of: observation)
            guard number >= 0 else {
                unvalidated += 1
                if recording.isNotJudged(observation) { unjudged += 1 }
                isUnstudied[Int(observation.endpoint)] = true
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
        self.unjudged = unjudged
        unstudied = zip(hosts, isUnstudied).filter { $0.captures.isEmpty && $1 }.map(\.0.endpoint)
        self.organisationKeys = organisationKeys
        authorities = IssuedKeys(numbering)
        chains = numbering.chains
        chainKeys = numbering.chainKeys
        self.reserves = reserves
        keys = numbering.keys
        keyNumbers = numbering.keyNumbers
        organisations = numbering.organisations
    }

    /// Whether the chain with this number contains the key or certificate of `pin`, at an accepted position.
    @inline(__always)
    func has(_ pin: PinChoice, chain number: Int32) -> Bool {
        let chain = chains[Int(number)]
        if pin.certificate >= 0 { return chain.leaf == pin.certificate }
        for place in chain.places where chainKeys[place] == pin.key {
            if pin.position.accepts(index: place - Int(chain.start), of: Int(chain.count)) { return true }
        }
        return false
    }

    /// The number of hosts with a genuine, validated chain.
    public var hostCount: Int { hosts.count }

    /// The number of genuine captures.
    public var captureCount: Int { hosts.reduce(0) { $0 + $1.captures.count } }
}
