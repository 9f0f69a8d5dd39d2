internal import Synchronization

/// The policy in use, which an update replaces while others read it.
///
/// Readers take no lock and do not wait. There are two places, and a count of readers for each. A reader increments the
/// count of the current place, retains its policy and decrements the count. A writer waits until the count of the other
/// place is zero, writes there and makes that place current.
///
/// ```
/// reader   count up at place p = current · is p still current? · take the policy · count down
/// writer   wait until the other place has no readers · put the policy there · make it current
/// ```
@safe
public final class CurrentPinPolicy: Sendable {
    // A place is written only while it is not current and has no readers, and read only between counting up and down.
    // All four steps are sequentially consistent; otherwise a reader and a writer could miss each other.
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

    /// The policy in use. A decision reads it once and keeps it until its end.
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

    /// Replaces the policy in use if the new one has a higher version.
    ///
    /// The policy of two replacements ago stays in memory until the next one.
    ///
    /// - Returns: whether the new policy is in use now.
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
            assert(readers() >= 0, "each reader leaves once")
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
