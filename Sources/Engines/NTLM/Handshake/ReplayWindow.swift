internal import Synchronization
internal import WireFormat

/// The proofs that a server accepted recently; all its connections share one window.
///
/// A fresh server challenge makes every proof different. The window protects a server whose random numbers repeat, for
/// example after a virtual machine was cloned.
public final class ReplayWindow: Sendable {
    private struct Proof: Hashable {
        var low: UInt64
        var high: UInt64
    }

    private struct Entries {
        var proofs: Set<Proof> = []
        // In order of arrival; a ring buffer when full.
        var order: [(proof: Proof, time: FileTime)] = []
        var oldest = 0
    }

    private let capacity: Int
    private let seconds: Int64
    private let entries = Mutex(Entries())

    /// Remembers up to `capacity` proofs, and forgets the oldest one first.
    ///
    /// - Parameters:
    ///   - capacity: 1 to 1 048 576 proofs, about 64 bytes each; a number outside becomes the nearest bound.
    ///   - seconds: how long a proof is remembered; 72 hours by default, because clocks may differ by 36 hours in
    ///     either direction.
    public init(capacity: Int = 65_536, seconds: Int64 = 72 * 3_600) {
        self.capacity = min(max(capacity, 1), NTLMLimits.replayEntries)
        self.seconds = seconds
    }

    /// Remembers a proof; returns whether it is new.
    ///
    /// - Complexity: O(1) for a new proof, O(*n*) for a repeated one.
    func insert(_ ntProofStr: Span<UInt8>, now: FileTime) -> Bool {
        guard let low = littleEndianUInt64(in: ntProofStr, at: 0), let high = littleEndianUInt64(in: ntProofStr, at: 8)
        else { return false }
        let proof = Proof(low: low, high: high)
        return entries.withLock { entries in
            // A linear search is fast enough, because only an accepted proof that repeats comes here.
            if entries.proofs.contains(proof), let index = entries.order.firstIndex(where: { $0.proof == proof }) {
                // If the clock was set back, the proof is still remembered.
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
            assert(entries.proofs.count == entries.order.count && entries.order.count <= capacity)
            assert(entries.oldest < entries.order.count, "the next entry to replace is in the ring")
            return true
        }
    }
}
