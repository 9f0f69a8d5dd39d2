internal import Synchronization

/// Numbers for connections, each used once in the process.
enum ConnectionNumber {
    private static let last = Atomic<UInt64>(0)

    static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
