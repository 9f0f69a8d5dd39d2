#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A store of several processes, of which one at a time does what takes several calls, such as the use of a refresh token that is good for
/// one use.
package protocol TurnTaking: CredentialStore {
    /// Waits for this process's turn; `nil` if it does not come in time, or the system gives none. The caller then goes on without.
    func turn() async -> StoreTurn?
}

/// One process's turn. It ends with this object, or with the process.
package final class StoreTurn: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    // Closing frees the lock.
    deinit { _ = close(descriptor) }
}

extension SealedFileStore: TurnTaking {
    /// The longest wait. A request to a token service may take half of it.
    private static let longestWait = Duration.seconds(60)
    /// The pause between two attempts.
    private static let pause = Duration.milliseconds(20)

    /// Waits for a lock on the file `PATH.turn.lock`, which stays.
    package nonisolated func turn() async -> StoreTurn? {
        let lock = WriterLock(besides: await path + ".turn", patienceMilliseconds: 0)
        let end = ContinuousClock.now + Self.longestWait
        while true {
            do throws(CredentialStoreError.Problem) {
                return StoreTurn(try lock.take())
            } catch {
                guard case .lockedTooLong = error, ContinuousClock.now < end, !Task.isCancelled else { return nil }
            }
            try? await Task.sleep(for: Self.pause)
        }
    }
}
