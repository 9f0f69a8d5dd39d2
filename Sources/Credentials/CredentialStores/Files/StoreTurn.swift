#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A store that several processes use at once.
package protocol ProcessSharedStore: CredentialStore {
    /// Waits for this process's turn.
    ///
    /// - Returns: `nil` if the turn does not come in time, or the system gives no lock. The caller then goes on without.
    func turn() async -> StoreTurn?
}

/// The turn of one of the processes that share a store. During it the process makes several calls that belong together, such as those
/// that use a refresh token once. The turn ends with this object, or with the process.
package final class StoreTurn: Sendable {
    /// The longest wait. A request to a token service may take half of it.
    private static let longestWait = Duration.seconds(60)
    /// The pause between two attempts.
    private static let pause = Duration.milliseconds(20)

    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    // Closing frees the lock.
    deinit { _ = close(descriptor) }

    /// Waits for a lock on the file `PATH.turn.lock`; the file stays.
    ///
    /// - Parameter group: whose members take turns; `nil` for the processes of one user.
    static func wait(besides path: String, sharedWith group: StoreGroup? = nil) async -> StoreTurn? {
        let lock = WriterLock(besides: path + ".turn", patienceMilliseconds: 0, sharedWith: group)
        let end = ContinuousClock.now + longestWait
        while true {
            do throws(CredentialStoreError.Problem) {
                return StoreTurn(try lock.acquire())
            } catch {
                guard case .lockedTooLong = error, ContinuousClock.now < end, !Task.isCancelled else { return nil }
            }
            try? await Task.sleep(for: pause)
        }
    }
}
