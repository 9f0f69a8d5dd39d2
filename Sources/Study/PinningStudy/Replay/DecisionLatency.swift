internal import Corpora
internal import Histogram
internal import SPKIPins

/// Measures a decision with a strategy's compiled pins: does the host's set contain a key of this chain?
struct DecisionLatency {
    /// Half a second. A longer decision was interrupted by the system and is recorded as half a second.
    static let longest: UInt64 = 500_000_000

    private let compiled: PinSet
    private let history: ChainHistory

    /// Compiles the pins; `nil` for an empty list or for more pins than a set can hold.
    init?(_ pins: [PinChoice], _ history: ChainHistory) {
        self.history = history
        var seen: Set<Pin> = []
        var members: [PinSet.Member] = []
        members.reserveCapacity(pins.count)
        for choice in pins {
            guard let pin = history.digest(of: choice), pins.count == 1 || seen.insert(pin).inserted else { continue }
            members.append(PinSet.Member(pin: pin, position: choice.position))
        }
        guard !members.isEmpty, let set = try? PinSet(compiling: members) else { return nil }
        compiled = set
    }

    /// Bytes of the compiled set.
    var bytes: Int { compiled.image.count }

    /// An empty histogram for latencies in nanoseconds.
    static var empty: Histogram<UInt64> {
        Histogram(highestTrackableValue: longest, numberOfSignificantValueDigits: .three)
    }

    /// Times one decision for each chain, `rounds` times. Each number includes two reads of the clock.
    func measure(_ chains: [Int32], rounds: Int) -> [LatencyCount] {
        // A dictionary, because a histogram has tens of thousands of buckets, which is too much for each host.
        var counts: [UInt64: UInt64] = [:]
        let clock = SuspendingClock()
        var accepted = 0
        for _ in 0..<rounds {
            for number in chains {
                let chain = history.chains[Int(number)]
                let start = clock.now
                if decide(chain) { accepted += 1 }
                let elapsed = (clock.now - start).components
                let nanoseconds = UInt64(
                    clamping: elapsed.seconds * 1_000_000_000 + elapsed.attoseconds / 1_000_000_000
                )
                counts[min(nanoseconds, Self.longest), default: 0] += 1
            }
        }
        // The last pins accept the last chain. If no chain was accepted, the compiled set is wrong.
        assert(rounds == 0 || accepted > 0 || chains.isEmpty)
        return counts.sorted { $0.key < $1.key }.map { LatencyCount(nanoseconds: $0.key, count: $0.value) }
    }

    private func decide(_ chain: ChainHistory.Chain) -> Bool {
        for place in chain.places {
            let key = history.chainKeys[place]
            guard let member = compiled.member(for: history.keys[Int(key)]) else { continue }
            if member.position.accepts(index: place - Int(chain.start), of: Int(chain.count)) { return true }
        }
        guard let certificate = history.digest(of: PinChoice(certificate: chain.leaf)) else { return false }
        return compiled.contains(certificate)
    }

    /// Adds all counts to one histogram.
    static func sum(_ counts: some Sequence<LatencyCount>) -> Histogram<UInt64> {
        var histogram = empty
        for bucket in counts { histogram.record(min(bucket.nanoseconds, longest), count: bucket.count) }
        return histogram
    }
}

extension ChainHistory {
    /// The digest of a pin's key or certificate; `nil` for a key that is not in the recording.
    func digest(of choice: PinChoice) -> Pin? {
        if choice.certificate >= 0 {
            return recording.certificates[Int(choice.certificate)].fingerprint.digest
        }
        return choice.key >= 0 ? keys[Int(choice.key)] : nil
    }

    /// The number of the key in a certificate.
    func leafKey(ofCertificate certificate: Int32) -> Int32 {
        keyNumbers[recording.certificates[Int(certificate)].key] ?? -1
    }
}
