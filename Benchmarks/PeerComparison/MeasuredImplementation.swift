/// A clock, or a counter of allocations, read before and after. Only the difference matters.
package typealias Meter = () -> UInt64

/// One way of doing one operation, ready to be measured.
package struct MeasuredImplementation {
    /// The library, and the way in which it is used if there are several.
    package let who: String
    /// The operation; the same for all implementations that are compared.
    package let operation: String
    /// How many operations one repetition does.
    private let items: Int
    /// How many repetitions may be prepared at once.
    private let repetitionsAtOnce: Int
    /// Whether the operation uses up a value that is prepared outside the clock.
    package var isPrepared: Bool { repetitionsAtOnce < .max }
    /// How many operations one repetition does. A count that must be exact is a multiple of it.
    package var batch: Int { items }
    private let span: (_ repetitions: Int, _ meter: Meter) -> UInt64

    // Enough to hide the cost of the meter (most of a microsecond for the clock of a process), and few enough to stay in
    // the cache.
    private static let preparedItems = 256

    /// An operation without preparation.
    ///
    /// - Parameters:
    ///   - items: how many operations one repetition does.
    ///   - perform: does the given number of repetitions, and returns a number that depends on all results.
    package init(
        _ who: String,
        _ operation: String,
        items: Int = 1,
        perform: @escaping (_ repetitions: Int) -> Int
    ) {
        self.who = who
        self.operation = operation
        self.items = items
        repetitionsAtOnce = .max
        span = { repetitions, meter in
            let start = meter()
            let result = perform(repetitions)
            let distance = meter() &- start
            keep(result)
            return distance
        }
    }

    /// An operation that uses up a value, which is prepared outside the clock.
    ///
    /// - Parameters:
    ///   - items: how many operations `perform` does.
    ///   - prepare: makes the value for one call of `perform`.
    ///   - perform: does the operations, and returns a number that depends on all results.
    package init<State>(
        _ who: String,
        _ operation: String,
        items: Int = 1,
        prepare: @escaping () -> State,
        perform: @escaping (inout State) -> Int
    ) {
        self.who = who
        self.operation = operation
        self.items = items
        repetitionsAtOnce = max(1, Self.preparedItems / items)
        span = { repetitions, meter in
            var states = (0..<repetitions).map { _ in prepare() }
            var result = 0
            let start = meter()
            for index in states.indices { result &+= perform(&states[index]) }
            let distance = meter() &- start
            keep(result)
            return distance
        }
    }

    /// Does the operation `count` times or a little more.
    ///
    /// - Returns: the mean difference of the meter for one operation.
    package func mean(of count: Int, _ meter: Meter) -> Double {
        let repetitions = (count + items - 1) / items
        var sum: UInt64 = 0
        for start in stride(from: 0, to: repetitions, by: min(repetitions, repetitionsAtOnce)) {
            sum &+= span(min(repetitions - start, repetitionsAtOnce), meter)
        }
        return Double(sum) / Double(repetitions * items)
    }

    /// Makes one call, which may be a batch of operations, or `calls` of them between two readings of the meter.
    package func once(_ meter: Meter, calls: Int = 1) -> UInt64 { span(calls, meter) }
}

/// Takes a result, so that the optimiser keeps the work for it.
@_optimize(none)
package func keep(_ result: Int) {}
