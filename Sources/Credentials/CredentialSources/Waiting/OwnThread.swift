internal import CChildProcesses

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Runs work that waits on a thread of its own. The threads that Swift shares among all tasks must not wait.
package enum OwnThread {
    /// Calls `body` on a new thread, without a word to it if the task is cancelled.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await run { _ in try body() }
    }

    /// Calls `body` on a new thread.
    ///
    /// The thread receives no signals. A write to a closed pipe is therefore an error there, and does not end the process.
    ///
    /// - Parameter body: gets an interruption that comes when the task is cancelled; it should then end soon.
    /// - Throws: what `body` throws; `CancellationError` instead if the task was cancelled before or meanwhile.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable (Interruption) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let interruption = try Interruption()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let work = Work {
                    do {
                        continuation.resume(returning: try body(interruption))
                    } catch {
                        continuation.resume(throwing: interruption.hasCome ? CancellationError() : error)
                    }
                }
                let code = start(work)
                if code != 0 { continuation.resume(throwing: SystemError(operation: "start a thread", code: code)) }
            }
        } onCancel: {
            interruption.interrupt()
        }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `work`; returns 0 or the system's error number.
    private static func start(_ work: Work) -> Int32 {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // The new thread inherits this mask; the calling thread gets its own one back.
        var (blocked, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&blocked)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { unsafe sigdelset(&blocked, fault) }
        unsafe pthread_sigmask(SIG_SETMASK, &blocked, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        // The thread takes over this reference.
        let handle = unsafe Unmanaged.passRetained(work)
        #if canImport(Darwin)
            var thread: pthread_t?
            let code = unsafe pthread_create(
                &thread,
                &attributes,
                { argument in
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                    return nil
                },
                handle.toOpaque()
            )
        #else
            var thread = pthread_t()
            let code = unsafe pthread_create(
                &thread,
                &attributes,
                { argument in
                    if let argument = unsafe argument {
                        unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                    }
                    return nil
                },
                handle.toOpaque()
            )
        #endif
        if code != 0 { unsafe handle.release() }
        return code
    }
}
