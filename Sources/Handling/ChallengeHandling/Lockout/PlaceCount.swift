internal import Synchronization

/// The number of places of all accounts of a handler, and its bound.
final class PlaceCount: Sendable {
    /// The most places of all accounts together. Beyond it an account forgets one of its own places for each new one.
    static let maximum = 65_536

    private let count = Atomic<Int>(0)

    var isFull: Bool { count.load(ordering: .relaxed) >= Self.maximum }

    func add(_ number: Int) { count.add(number, ordering: .relaxed) }

    func subtract(_ number: Int) { count.subtract(number, ordering: .relaxed) }
}
