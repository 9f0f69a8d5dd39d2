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
        var grouping = HostGrouping(recording)
        for observation in recording.observations { grouping.add(observation) }
        hosts = grouping.hosts.filter { !$0.captures.isEmpty }
        unvalidated = grouping.unvalidated
        unjudged = grouping.unjudged
        unstudied = grouping.unstudied
        organisationKeys = grouping.organisationKeys
        reserves = grouping.reserves
        let numbering = grouping.numbering
        authorities = IssuedKeys(numbering)
        chains = numbering.chains
        chainKeys = numbering.chainKeys
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
