internal import Synchronization
internal import WireFormat

/// The proofs that were accepted lately, shared by all connections of a server.
///
/// A nonce that is fresh makes every proof different. The window is for the day on which it is not: when the generator of
/// a cloned machine repeats itself, say.
public final class ReplayWindow: Sendable {
    private struct Proof: Hashable {
        var low: UInt64
        var high: UInt64
    }

    private struct Entries {
        var proofs: Set<Proof> = []
        // In the order of arrival, a ring once it is full.
        var order: [(proof: Proof, time: FileTime)] = []
        var oldest = 0
    }

    private let capacity: Int
    private let seconds: Int64
    private let entries = Mutex(Entries())

    /// Remembers up to `capacity` proofs; the oldest one goes first.
    ///
    /// - Parameters:
    ///   - capacity: 1 to 1 048 576 proofs; about 64 bytes each. What lies outside becomes the nearest bound.
    ///   - seconds: how long a proof counts; 72 hours by default, since clocks may be 36 hours off in either direction.
    public init(capacity: Int = 65_536, seconds: Int64 = 72 * 3_600) {
        self.capacity = min(max(capacity, 1), NTLMLimits.replayEntries)
        self.seconds = seconds
    }

    /// Remembers a proof; tells whether it is new.
    ///
    /// - Complexity: O(1) for a new proof, O(*n*) for one that is there.
    func insert(_ ntProofStr: Span<UInt8>, now: FileTime) -> Bool {
        guard let low = littleEndianUInt64(in: ntProofStr, at: 0), let high = littleEndianUInt64(in: ntProofStr, at: 8)
        else { return false }
        let proof = Proof(low: low, high: high)
        return entries.withLock { entries in
            // Seldom enough for a walk: it takes an accepted proof to come here.
            if entries.proofs.contains(proof), let index = entries.order.firstIndex(where: { $0.proof == proof }) {
                // A clock that was set back makes nothing old.
                let time = entries.order[index].time
                guard now > time, now.seconds(from: time) > seconds else { return false }
                entries.order[index].time = now
                return true
            }
            entries.proofs.insert(proof)
            if entries.order.count < capacity {
                entries.order.append((proof, now))
            } else {
                entries.proofs.remove(entries.order[entries.oldest].proof)
                entries.order[entries.oldest] = (proof, now)
                entries.oldest = (entries.oldest + 1) % capacity
            }
            return true
        }
    }
}
