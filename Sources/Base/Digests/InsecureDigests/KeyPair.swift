internal import Synchronization

/// Two 16-byte keys in one heap block, which is overwritten when its last owner goes.
///
/// The block can be made before the keys are known, so that the moment in which they are costs no allocation.
package final class KeyPair: @unchecked Sendable {
    // Written only by `replace`, whose caller is the sole owner; so no other thread can look on.
    private var keys: (first: Digest16, second: Digest16)
    private let isClaimed = Atomic(false)

    /// Makes room, filled with zeros.
    package init() {
        keys = (Digest16(low: 0, high: 0), Digest16(low: 0, high: 0))
    }

    /// Puts both keys in place.
    ///
    /// - Precondition: the caller is the only owner (`isKnownUniquelyReferenced`).
    package func replace(first: Digest16, second: Digest16) {
        keys = (first, second)
        isClaimed.store(false, ordering: .relaxed)
    }

    /// Whether nobody claimed these keys since they were put in place; they are claimed from now on.
    package func claim() -> Bool { !isClaimed.exchange(true, ordering: .relaxed) }

    /// A copy of the first key, for the length of a computation.
    package var first: Digest16 { keys.first }
    /// A copy of the second key, for the length of a computation.
    package var second: Digest16 { keys.second }

    deinit {
        keys.first.erase()
        keys.second.erase()
    }
}

extension KeyPair: CustomStringConvertible, CustomReflectable {
    /// Says that something is there, and nothing more.
    package var description: String { "<two keys>" }

    /// No children, so that nothing shows the keys.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
