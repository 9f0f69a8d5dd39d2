#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A value that one thread at a time may use, for state that the requests of many threads share.
///
/// On Linux `Mutex` of Synchronization hands itself to the thread that has waited longest, so that after one thread was suspended
/// inside, every later use is a change of threads: eight threads on two cores made 60,000 answers a second for one account, and one
/// thread 520,000. This lock, of glibc's adaptive kind, goes to a thread that runs. It is not fair, so what is done inside must be
/// short.
///
/// `@unchecked Sendable` is safe, because the value is used only inside ``withLock(_:)``.
@safe struct ThreadLock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // On the heap, because neither may move.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    /// Guards `initial`.
    init(_ initial: consuming Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe value = .allocate(capacity: 1)
        unsafe value.initialize(to: initial)
        let result = unsafe Self.initialize(mutex)
        precondition(result == 0, "a mutex cannot be made: error \(result)")
    }

    deinit {
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
        _ = unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Calls `body` with the value, alone. `body` must not use the same lock.
    borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let locked = unsafe pthread_mutex_lock(mutex)
        precondition(locked == 0, "a mutex cannot be locked: error \(locked)")
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }

    private static func initialize(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> CInt {
        #if canImport(Glibc)
            // A thread that waits first spins for a moment, because what is done inside is short.
            var attributes = pthread_mutexattr_t()
            _ = unsafe pthread_mutexattr_init(&attributes)
            defer { _ = unsafe pthread_mutexattr_destroy(&attributes) }
            _ = unsafe pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ADAPTIVE_NP))
            return unsafe pthread_mutex_init(mutex, &attributes)
        #else
            return unsafe pthread_mutex_init(mutex, nil)
        #endif
    }
}
