internal import Synchronization

/// The permission of a place that has just accepted a password: attempts begin and end under it without the lock of the ``PasswordBudget``, as
/// long as successes come in.
///
/// A success under a pass changes nothing that other attempts see but the time of the last success and the directory, and both are here. The
/// budget closes the pass when anything else happens (``PasswordState/disturbances``). The attempts under way then end as if each had a number of
/// its own, because all of them began before what closed the pass.
final class StandingPass: Sendable {
    /// Where the password goes.
    let place: Place
    /// The number of all attempts under the pass.
    let number: UInt64
    /// The attempts that have not ended. Below 0 the pass is closed, and its attempts are in the record of the place.
    private let attempts = Atomic(0)
    private let lastSuccess: Atomic<Int64>
    private let directories: SharedDirectories

    /// So far below 0 that no number of attempts makes it positive.
    private static let closed = Int.min / 2

    init(_ place: Place, number: UInt64, lastSuccess: MonotonicTime, accepted: DirectoryFilter) {
        self.place = place
        self.number = number
        self.lastSuccess = Atomic(lastSuccess.nanoseconds)
        directories = SharedDirectories(accepted)
    }

    /// Begins an attempt. Returns whether it may: the pass is open, and the last success is not too old.
    func begin(_ now: MonotonicTime) -> Bool {
        guard isFresh(now) else { return false }
        // The count of a closed pass is not used.
        return attempts.add(1, ordering: .acquiring).oldValue >= 0
    }

    /// Whether the last success is not too old. Otherwise the next attempt goes first, alone.
    func isFresh(_ now: MonotonicTime) -> Bool { now < success + AttemptGate.proofLease }

    /// Whether attempts may begin: the pass is open, and the last success is not too old.
    func stands(_ now: MonotonicTime) -> Bool { attempts.load(ordering: .acquiring) >= 0 && isFresh(now) }

    /// The time of the last success under the pass, or of the one that opened it.
    var success: MonotonicTime { MonotonicTime(nanoseconds: lastSuccess.load(ordering: .relaxed)) }

    /// Ends an attempt, also of a closed pass. Returns whether the pass is open.
    func end() -> Bool { attempts.subtract(1, ordering: .acquiringAndReleasing).oldValue > 0 }

    /// Notes a success at `path`.
    func accepted(at path: RequestPath, now: MonotonicTime) {
        directories.insert(path)
        _ = lastSuccess.max(now.nanoseconds, ordering: .relaxed)
    }

    /// The directories in which the place accepted the password, under the pass and before.
    var accepted: DirectoryFilter { directories.filter }

    /// Closes the pass. Returns how many of its attempts have not ended.
    func close() -> Int { max(0, attempts.exchange(Self.closed, ordering: .acquiringAndReleasing)) }
}
