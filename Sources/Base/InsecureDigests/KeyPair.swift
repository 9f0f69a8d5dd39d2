internal import Synchronization

/// Two 16-byte keys in one heap block, which is erased when its last owner is gone.
///
/// The block can be allocated before the keys are known, so that storing them needs no allocation.
package final class KeyPair: @unchecked Sendable {
    // Only `replace` writes, and its caller is the only owner, so no other thread reads at the same time.
    private var keys: (first: Digest16, second: Digest16)
    private let isClaimed = Atomic(false)

    /// Allocates the block, filled with zeros.
    package init() {
        keys = (Digest16(low: 0, high: 0), Digest16(low: 0, high: 0))
    }

    /// Stores both keys.
    ///
    /// - Precondition: the caller is the only owner (`isKnownUniquelyReferenced`).
    package func replace(first: Digest16, second: Digest16) {
        keys = (first, second)
        isClaimed.store(false, ordering: .relaxed)
    }

    /// Claims the keys; returns whether this is the first claim since they were stored.
    package func claim() -> Bool { !isClaimed.exchange(true, ordering: .relaxed) }

    /// A copy of the first key; keep it only during a computation.
    package var first: Digest16 { keys.first }
    /// A copy of the second key; keep it only during a computation.
    package var second: Digest16 { keys.second }

    deinit {
        keys.first.erase()
        keys.second.erase()
    }
}

extension KeyPair: CustomStringConvertible, CustomReflectable {
    /// A fixed text, without the contents.
    package var description: String { "<two keys>" }

    /// Has no children, so that `dump` does not show the keys.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
