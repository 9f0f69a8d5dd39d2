internal import Corpora

/// Entries that were left out of an import, by reason.
package struct ImportLosses: Equatable, Sendable {
    /// Entries with one reason.
    package struct Loss: Equatable, Sendable, CustomStringConvertible {
        /// The file of the first of them, and where in it.
        package let place: String
        /// Why, and what to do.
        package let reason: String
        /// Whether the entry is damaged or of another format; otherwise it is sound and has no chain.
        package let isFault: Bool
        /// How many there are.
        package fileprivate(set) var count: Int

        /// Where, why, what to do, and how many more there are, in one line.
        package var description: String {
            count == 1 ? "\(place): \(reason)" : "\(place): \(reason) (and \(count - 1) more like it)"
        }
    }

    /// The most reasons that are kept apart. Some name what stands in the file, so a broken file could have one for each line.
    static let mostReasons = 32

    /// In the order in which their reasons were met first.
    package private(set) var losses: [Loss] = []

    /// No entry.
    package init() {}

    /// How many entries there are.
    package var count: Int { losses.reduce(0) { $0 + $1.count } }

    /// Whether every entry is damaged or of another format; false without an entry.
    package var areFaults: Bool { !losses.isEmpty && losses.allSatisfy(\.isFault) }

    /// Adds entries with one reason, the first of which is at `place`.
    package mutating func leaveOut(_ place: String, _ reason: String, isFault: Bool = false, count: Int = 1) {
        func index(of reason: String) -> Int? { losses.firstIndex { $0.reason == reason && $0.isFault == isFault } }
        // The last two places are for what has no place of its own: faults, and sound entries without a chain.
        let isFull = index(of: reason) == nil && losses.count >= Self.mostReasons - 2
        let reason = isFull ? "left out for another reason: correct the others first" : reason
        if let known = index(of: reason) {
            losses[known].count += count
        } else {
            losses.append(Loss(place: place, reason: reason, isFault: isFault, count: count))
        }
    }

    /// Adds an entry that is damaged or of another format.
    mutating func leaveOut(_ error: RecordingError) {
        leaveOut(error.line.map { "\(error.path):\($0)" } ?? error.path, error.problem, isFault: true)
    }

    /// Adds the entries of another file.
    package mutating func add(_ others: ImportLosses) {
        for other in others.losses {
            leaveOut(other.place, other.reason, isFault: other.isFault, count: other.count)
        }
    }
}
