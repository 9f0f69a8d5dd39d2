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
    /// Calls `body` while this process holds the lock; waits for another holder, who takes milliseconds.
    ///
    /// - Parameters:
    ///   - path: the file that is replaced.
    ///   - failure: what is thrown if there can be no lock.
    package static func hold<Value, Failure: Error>(
        besides path: String,
        orThrow failure: (FileWriteError) -> Failure,
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let descriptor = unsafe SystemPath.withSystemPath(path + ".lock") {
            unsafe open($0, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        }
        guard descriptor >= 0 else { throw failure(FileWriteError(errno: errno)) }
        // Closing frees the lock.
        defer { _ = close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure(FileWriteError(errno: errno)) }
        }
        return try body()
    }
}
