/// A limit for one of our operations.
package struct Goal: Sendable {
    /// The kind of limit.
    package enum Bound: Sendable {
        /// Nanoseconds on a machine on which the yardstick takes ``Goal/yardstickNanoseconds``.
        case nanoseconds(Double)
        /// A multiple of the peer's time; a tenth is "ten times as fast".
        case times(Double, who: String, operation: String)
        /// Allocations.
        case allocations(Double)
    }

    /// The result of a comparison with a goal.
    package struct Outcome: Sendable {
        /// The limit on this machine; `nil` if the values that it depends on were not measured.
        package let limit: Double?
        /// The measured value; `nil` if it was not measured.
        package let measured: Double?
        /// `nil` when there is nothing to check.
        package var isMet: Bool? {
            guard let limit, let measured else { return nil }
            return measured <= limit
        }
    }

    package let who: String
    package let operation: String
    /// The goal in words.
    package let text: String
    package let bound: Bound

    /// The yardstick's time on the machine for which goals in nanoseconds were set.
    package static let yardstickNanoseconds = 55.0

    package init(_ who: String, _ operation: String, _ text: String, _ bound: Bound) {
        self.who = who
        self.operation = operation
        self.text = text
        self.bound = bound
    }

    /// Compares with what was measured; quickest samples on both sides.
    ///
    /// - Parameter yardstick: the yardstick's time here; `nil` if it was not measured.
    package func outcome(by measurementFile: MeasurementFile, yardstick: Double?) -> Outcome {
        let record = measurementFile.record(who, operation)
        switch bound {
        case .nanoseconds(let nanoseconds):
            let limit = yardstick.map { nanoseconds * $0 / Self.yardstickNanoseconds }
            return Outcome(limit: limit, measured: record?.best)
        case .times(let factor, let other, let otherOperation):
            let limit = measurementFile.record(other, otherOperation)?.best.map { $0 * factor }
            return Outcome(limit: limit, measured: record?.best)
        case .allocations(let count):
            return Outcome(limit: count, measured: record?.allocations)
        }
    }
}
