#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Lets one program at a time replace a file: a lock on the file `PATH.lock` beside it.
///
/// The file itself cannot carry the lock, because each write replaces it. The system frees the lock when its holder ends. The file of the
/// lock stays, because removing it would let two programs hold two locks.
package enum FileLock {
    /// How long to wait for another holder, who takes milliseconds.
    package static let limit = Duration.seconds(10)
    /// The pause between two attempts.
    private static let pauseMicroseconds: UInt32 = 10_000

    /// Calls `body` while this process holds the lock. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - path: the file that is replaced.
    ///   - limit: how long to wait for another holder.
    ///   - failure: what is thrown if there can be no lock; `EWOULDBLOCK` after the limit.
    package static func hold<Value, Failure: Error>(
        besides path: String,
        within limit: Duration = FileLock.limit,
        orThrow failure: (FileWriteError) -> Failure,
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let descriptor = unsafe SystemPath.withSystemPath(path + ".lock") {
            unsafe open($0, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        }
        guard descriptor >= 0 else { throw failure(FileWriteError(errno: errno)) }
        // Closing frees the lock.
        defer { _ = close(descriptor) }
        let end = ContinuousClock.now.advanced(by: limit)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let reason = errno
            guard reason == EINTR || reason == EWOULDBLOCK, ContinuousClock.now < end else {
                throw failure(FileWriteError(errno: reason))
            }
            usleep(pauseMicroseconds)
        }
        return try body()
    }
}

extension FileWriteError {
    /// Whether another process has held the lock of the file for too long.
    package var isLockedElsewhere: Bool { errno == EWOULDBLOCK }
}
