#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A thread of the system. The threads that Swift shares among all tasks must not wait.
package enum DetachedThread {
    /// Bytes of its stack. The default of musl is too small for a library of the system that reads configurations.
    private static let stackBytes = 1 << 20

    /// Runs `body` on a new thread.
    ///
    /// The thread receives no signals. A write to a closed socket or pipe is therefore an error there, and does not end the process.
    ///
    /// - Returns: 0, or the error number of the system if it has no more threads; `body` is then not called.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(&attributes, stackBytes)
        // The new thread inherits this mask; the calling thread gets its own one back.
        var (blocked, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&blocked)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { unsafe sigdelset(&blocked, fault) }
        unsafe pthread_sigmask(SIG_SETMASK, &blocked, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        // The thread takes over this reference.
        let handle = unsafe Unmanaged.passRetained(Work(body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = unsafe pthread_create(
            &thread,
            &attributes,
            { argument in
                // Optional on Linux, and not on Apple's systems.
                if let argument = unsafe argument as UnsafeMutableRawPointer? {
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                }
                return nil
            },
            handle.toOpaque()
        )
        if code != 0 { unsafe handle.release() }
        return code
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
