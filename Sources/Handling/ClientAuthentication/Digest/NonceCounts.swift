internal import NTLM
internal import Synchronization

/// The counts (`nc`) that right answers have used, so that a recorded answer is not accepted again.
///
/// Only right answers take memory. Requests of several connections may arrive in another order than they were counted:
/// of each nonce the last 64 counts are known, and an older one is refused.
final class NonceCounts: Sendable {
    private struct Counts {
        var highest: UInt32
        /// Bit *n* says whether `highest` − *n* was used.
        var used: UInt64 = 1
    }

    private struct State {
        var counts: [DigestNonces.Nonce: Counts] = [:]
        /// Nonces made until then are stale unless they are known.
        var forgottenUntil = FileTime(rawValue: 0)
    }

    /// The most nonces. At the bound the oldest quarter is forgotten and becomes stale.
    static let maximumNonces = 65_536

    private let state = Mutex(State())

    /// Notes a count; returns whether it is new.
    func use(_ count: UInt32, of nonce: DigestNonces.Nonce) -> Bool {
        state.withLock { state in
            guard var counts = state.counts[nonce] else {
                guard nonce.issued > state.forgottenUntil else { return false }
                if state.counts.count >= Self.maximumNonces { forgetOldest(&state) }
                state.counts[nonce] = Counts(highest: count)
                return true
            }
            if count > counts.highest {
                let step = count - counts.highest
                counts.used = step < 64 ? counts.used << UInt64(step) | 1 : 1
                counts.highest = count
            } else {
                let age = counts.highest - count
                guard age < 64, counts.used & 1 << UInt64(age) == 0 else { return false }
                counts.used |= 1 << UInt64(age)
            }
            state.counts[nonce] = counts
            return true
        }
    }

    private func forgetOldest(_ state: inout State) {
        let oldest = state.counts.keys.sorted { $0.time < $1.time }.prefix(Self.maximumNonces / 4)
        for nonce in oldest { state.counts[nonce] = nil }
        if let last = oldest.last { state.forgottenUntil = max(state.forgottenUntil, last.issued) }
    }
}
