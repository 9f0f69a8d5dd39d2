#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A lock, and two conditions for which threads wait while they hold it: there is work, and the next deadline has changed.
///
/// Sendable without a check, because its three pointers never change, and POSIX lets any thread call what they point to.
@safe
package final class ThreadSignals: @unchecked Sendable {
    // On the heap, because none of them may move.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let work: UnsafeMutablePointer<pthread_cond_t>
    private let deadline: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe work = Self.makeCondition()
        unsafe deadline = Self.makeCondition()
    }

    deinit {
        unsafe pthread_cond_destroy(work)
        unsafe work.deallocate()
        unsafe pthread_cond_destroy(deadline)
        unsafe deadline.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    package func lock() { unsafe pthread_mutex_lock(mutex) }
    package func unlock() { unsafe pthread_mutex_unlock(mutex) }

    /// Wakes one thread that waits for work.
    package func signalWork() { unsafe pthread_cond_signal(work) }
    /// Wakes the thread that waits for a deadline.
    package func signalDeadline() { unsafe pthread_cond_signal(deadline) }
    /// Wakes all threads.
    package func signalAll() {
        unsafe pthread_cond_broadcast(work)
        unsafe pthread_cond_broadcast(deadline)
    }

    /// Gives the lock up until there is work. It may return without.
    package func waitForWork() { unsafe pthread_cond_wait(work, mutex) }

    /// Gives the lock up until the deadline has changed, and no longer than `limit`; without end if that is `nil`.
    package func waitForDeadline(_ limit: Duration?) {
        guard let limit else {
            unsafe pthread_cond_wait(deadline, mutex)
            return
        }
        let (seconds, attoseconds) = max(limit, .zero).components
        #if canImport(Darwin)
            var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
            unsafe pthread_cond_timedwait_relative_np(deadline, mutex, &time)
        #else
            var time = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &time)
            // A day at most, so that the sum never overflows; then the thread looks again.
            time.tv_sec += Int(min(seconds, 86_400))
            time.tv_nsec += Int(attoseconds / 1_000_000_000)
            if time.tv_nsec >= 1_000_000_000 {
                time.tv_nsec -= 1_000_000_000
                time.tv_sec += 1
            }
            unsafe pthread_cond_timedwait(deadline, mutex, &time)
        #endif
    }

    private static func makeCondition() -> UnsafeMutablePointer<pthread_cond_t> {
        let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        #if canImport(Darwin)
            unsafe pthread_cond_init(condition, nil)
        #else
            var attributes = pthread_condattr_t()
            unsafe pthread_condattr_init(&attributes)
            unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            unsafe pthread_cond_init(condition, &attributes)
            unsafe pthread_condattr_destroy(&attributes)
        #endif
        return unsafe condition
    }
}
