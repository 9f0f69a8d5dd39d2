internal import Synchronization

/// Numbers for connections, each used once in the process.
package enum ConnectionNumber {
    private static let last = Atomic<UInt64>(0)

    package static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
