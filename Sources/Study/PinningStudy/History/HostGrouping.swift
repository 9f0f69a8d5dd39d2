internal import Corpora

/// Groups observations by host, one after another in the recording's order.
struct HostGrouping {
    let recording: ChainRecording
    private(set) var numbering: KeyNumbering
    /// Every host of the recording, also those without a genuine, validated chain.
    private(set) var hosts: [ChainHistory.Host]
    private(set) var unvalidated = 0
    private(set) var unjudged = 0
    private(set) var reserves: [[Int32]] = []
    /// By host, the latest chain whose leaf key differs from the leaf key of the last capture.
    private var replaced: [Int32]
    /// By host, whether it had a chain that did not validate.
    private var hasUnvalidated: [Bool]
    /// By authority's key, when a genuine chain had it first.
    private var firstSeen: [Int64?]
    /// The authorities' keys in the order of their first appearance.
    private var order: [Int32] = []

    init(_ recording: ChainRecording) {
        self.recording = recording
        numbering = KeyNumbering(recording)
        hosts = recording.endpoints.map { ChainHistory.Host(endpoint: $0) }
        replaced = [Int32](repeating: -1, count: hosts.count)
        hasUnvalidated = [Bool](repeating: false, count: hosts.count)
        firstSeen = [Int64?](repeating: nil, count: numbering.keys.count)
    }

    mutating func add(_ observation: ChainObservation) {
        let number = recording.chainNumber(of: observation)
        let host = Int(observation.endpoint)
        guard number >= 0 else {
            unvalidated += 1
            if recording.isNotJudged(observation) { unjudged += 1 }
            hasUnvalidated[host] = true
            return
        }
        numbering.learn(recording, observation)
        guard observation.label == .genuine else {
            hosts[host].impostors.append(
                ChainHistory.Impostor(
                    first: observation.first,
                    last: observation.last,
                    chain: Int32(number),
                    label: observation.label
                )
            )
            return
        }
        noteAuthorities(of: number, at: observation.first)
        noteReplacedKey(of: host, number, observation)
        addCapture(of: host, number, observation)
    }

    private mutating func noteAuthorities(of chain: Int, at time: Int64) {
        for place in numbering.chains[chain].places.dropFirst() {
            let key = numbering.chainKeys[place]
            guard firstSeen[Int(key)] == nil else { continue }
            firstSeen[Int(key)] = time
            order.append(key)
        }
    }

    private mutating func noteReplacedKey(of host: Int, _ chain: Int, _ observation: ChainObservation) {
        let leafKey = numbering.chains[chain].leafKey
        if let last = hosts[host].captures.last, numbering.chains[Int(last.chain)].leafKey != leafKey {
            replaced[host] = last.chain
        }
        if let time = recording.previousKeyLeak(of: observation), hosts[host].leaks.last?.time != time,
            replaced[host] >= 0
        {
            hosts[host].leaks.append(ChainHistory.Leak(time: time, chain: replaced[host]))
        }
    }

    private mutating func addCapture(of host: Int, _ chain: Int, _ observation: ChainObservation) {
        let root = numbering.chains[chain].root
        if !hosts[host].roots.contains(where: { $0.key == root }) {
            let position = Int64(hosts[host].captures.count)
            hosts[host].roots.append(ChainHistory.Appearance(position: position, key: root))
        }
        let reserve = recording.nextKeys(of: observation)
        if !reserve.isEmpty { reserves.append(numbering.numbers(of: reserve)) }
        hosts[host].captures.append(
            ChainHistory.Capture(
                first: observation.first,
                last: observation.last,
                chain: Int32(chain),
                reserve: reserve.isEmpty ? -1 : Int32(reserves.count - 1)
            )
        )
    }

    /// The servers whose chains never validated, in the order of their names.
    var unstudied: [RecordedEndpoint] {
        zip(hosts, hasUnvalidated).filter { $0.captures.isEmpty && $1 }.map(\.0.endpoint)
    }

    /// Authorities' keys by organisation, ordered by the second of their first appearance at any host.
    var organisationKeys: [[ChainHistory.Appearance]] {
        var keys = [[ChainHistory.Appearance]](repeating: [], count: numbering.organisations.count)
        for key in order {
            let organisation = numbering.organisation(ofKey: key)
            guard organisation >= 0 else { continue }
            keys[Int(organisation)].append(
                ChainHistory.Appearance(position: firstSeen[Int(key)] ?? 0, key: key)
            )
        }
        return keys
    }
}
