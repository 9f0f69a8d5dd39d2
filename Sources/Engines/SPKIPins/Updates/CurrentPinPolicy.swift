internal import Synchronization

/// The policy in use, which an update replaces while others read it.
///
/// Readers take no lock and wait for nobody. There are two places; readers count themselves into the one that is current
/// and take the policy out of it, and a writer fills the other one when the last reader has left it, which takes as long
/// as taking a reference.
///
/// ```
/// reader   count up at place p = current · is p still current? · take the policy · count down
/// writer   wait until nobody counts at the other place · put the policy there · make it current
/// ```
@safe
public final class CurrentPinPolicy: Sendable {
    // A place is written only while it is not current and nobody counts at it, and read only between counting up and
    // down. All four steps are sequentially consistent, or a reader and a writer could each miss the other.
    nonisolated(unsafe) private var first: PinPolicy
    nonisolated(unsafe) private var second: PinPolicy
    private let firstReaders = Atomic<Int>(0)
    private let secondReaders = Atomic<Int>(0)
    private let isSecondCurrent = Atomic<Bool>(false)
    private let writers = Mutex<Void>(())

    /// Starts with a policy.
    public init(_ policy: PinPolicy) {
        unsafe first = policy
        unsafe second = policy
    }

    /// The policy in use; a decision should take it once and keep it to its end.
    ///
    /// - Complexity: O(1); no lock, no allocation.
    public var policy: PinPolicy {
        while true {
            let isSecond = isSecondCurrent.load(ordering: .sequentiallyConsistent)
            let place = count(1, atSecond: isSecond)
            defer { count(-1, atSecond: isSecond) }
            if isSecondCurrent.load(ordering: .sequentiallyConsistent) == place {
                return unsafe isSecond ? second : first
            }
        }
    }

    /// Puts a policy in the place of the one in use, if it is newer.
    ///
    /// The policy of two replacements ago stays in memory until the next one.
    ///
    /// - Returns: whether it is in use now; `false` for a version that is not higher.
    @discardableResult
    public func replace(with policy: PinPolicy) -> Bool {
        writers.withLock { _ in
            guard policy.version > self.policy.version else { return false }
            let isSecond = isSecondCurrent.load(ordering: .sequentiallyConsistent)
            let readers = { [self] in
                isSecond
                    ? firstReaders.load(ordering: .sequentiallyConsistent)
                    : secondReaders.load(ordering: .sequentiallyConsistent)
            }
            while readers() > 0 {}
            if isSecond { unsafe first = policy } else { unsafe second = policy }
            isSecondCurrent.store(!isSecond, ordering: .sequentiallyConsistent)
            return true
        }
    }

    @discardableResult
    private func count(_ change: Int, atSecond isSecond: Bool) -> Bool {
        if isSecond {
            secondReaders.wrappingAdd(change, ordering: .sequentiallyConsistent)
        } else {
            firstReaders.wrappingAdd(change, ordering: .sequentiallyConsistent)
        }
        return isSecond
    }
}
