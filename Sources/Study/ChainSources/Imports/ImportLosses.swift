/// Entries that were left out of an import, by reason.
package struct ImportLosses: Equatable, Sendable {
    /// Entries with one reason.
    package struct Loss: Equatable, Sendable, CustomStringConvertible {
        /// The file of the first of them, and where in it.
        package let place: String
        /// Why, and what to do.
        package let reason: String
        /// How many there are.
        package fileprivate(set) var count: Int

        /// Where, why, what to do, and how many more there are, in one line.
        package var description: String {
            count == 1 ? "\(place): \(reason)" : "\(place): \(reason) (and \(count - 1) more like it)"
        }
    }

    /// In the order in which their reasons were met first.
    package private(set) var losses: [Loss] = []

    /// No entry.
    package init() {}

    /// How many entries there are.
    package var count: Int { losses.reduce(0) { $0 + $1.count } }

    /// Adds an entry.
    ///
    /// - Parameter reason: one of a few, or the list would be as long as the file.
    mutating func leaveOut(_ place: String, _ reason: String) {
        if let known = losses.firstIndex(where: { $0.reason == reason }) {
            losses[known].count += 1
        } else {
            losses.append(Loss(place: place, reason: reason, count: 1))
        }
    }
}
