import Synchronization

/// How often connections were closed.
final class ClosingCount: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func close() -> Bool {
        count.withLock { $0 += 1 }
        return true
    }
}
