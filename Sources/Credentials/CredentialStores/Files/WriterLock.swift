internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Lets one writer at a time change a store: a lock on the file `PATH.lock` beside it.
///
/// The store itself cannot carry the lock, because each write replaces it. The system frees the lock when its holder
/// ends, in whatever way. The file of the lock stays, because removing it would let two writers hold two locks.
struct WriterLock {
    private let path: String
    /// How long to wait for another writer, which takes milliseconds.
    private let patienceMilliseconds: Int
    /// Whose members may write; `nil` if the file is this user's alone.
    private let group: StoreGroup?

    static let defaultPatienceMilliseconds = 10_000
    /// The longest pause between two attempts.
    private static let longestPauseMicroseconds: UInt32 = 20_000
    /// How long a member may take to give a new lock to the group.
    private static let sharingMilliseconds = 500

    init(besides store: String, patienceMilliseconds: Int, sharedWith group: StoreGroup? = nil) {
        path = store + ".lock"
        self.patienceMilliseconds = patienceMilliseconds
        self.group = group
    }

    /// Calls `body` while this process holds the lock.
    func hold<Result>(
        _ body: () throws(CredentialStoreError.Problem) -> Result
    ) throws(CredentialStoreError.Problem) -> Result {
        let descriptor = try acquire()
        // Closing frees the lock.
        defer { _ = close(descriptor) }
        return try body()
    }

    /// Waits for the lock, and returns the descriptor that holds it until it is closed.
    func acquire() throws(CredentialStoreError.Problem) -> Int32 {
        let start = Self.nowMilliseconds()
        var pause: UInt32 = 500
        while true {
            let descriptor = unsafe SystemPath.withSystemPath(path) {
                unsafe open($0, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
            }
            guard descriptor >= 0 else {
                if let group, errno == EACCES {
                    // A member who has just made it has not given it to the group yet.
                    guard Self.nowMilliseconds() - start >= min(patienceMilliseconds, Self.sharingMilliseconds) else {
                        usleep(pause)
                        continue
                    }
                    throw .group(.lock(group: group.name))
                }
                throw errno == ENOENT ? .missing : .refusal(of: "open the lock '\(path)'", code: errno)
            }
            share(descriptor)
            let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
            let reason = errno
            // A lock on a file that was removed meanwhile keeps no other writer out.
            if isLocked, isAtPath(descriptor) { return descriptor }
            _ = close(descriptor)
            // A file system without locks is refused, because writers would lose each other's records.
            guard isLocked || reason == EWOULDBLOCK || reason == EINTR else {
                throw .system(operation: "lock '\(path)'", code: reason)
            }
            guard Self.nowMilliseconds() - start < patienceMilliseconds else {
                throw .lockedTooLong(milliseconds: patienceMilliseconds)
            }
            usleep(pause)
            pause = min(pause * 2, Self.longestPauseMicroseconds)
        }
    }

    /// Gives a file of this user's own to the group. One of another member is the group's already, because it could be opened.
    private func share(_ descriptor: Int32) {
        guard let group else { return }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
            status.st_gid != group.identifier || status.st_mode & 0o777 != 0o660
        else { return }
        // Without it the next member is told what to do.
        _ = group.own(descriptor, permissions: 0o660)
    }

    private func isAtPath(_ descriptor: Int32) -> Bool {
        var (held, found) = (stat(), stat())
        guard unsafe fstat(descriptor, &held) == 0 else { return false }
        guard unsafe SystemPath.withSystemPath(path, { unsafe stat($0, &found) }) == 0 else { return false }
        return held.st_dev == found.st_dev && held.st_ino == found.st_ino
    }

    private static func nowMilliseconds() -> Int { Int(SystemClock.monotonicNanoseconds / 1_000_000) }
}
