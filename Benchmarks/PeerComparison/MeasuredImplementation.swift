/// What is read before and after: a clock, or a counter of allocations. Only the difference matters.
package typealias Meter = () -> UInt64

/// One way of doing one operation, ready to be measured.
package struct MeasuredImplementation {
    /// Who does it: a library, and how it is used where there are several ways.
    package let who: String
    /// What is done; the same for all that are compared.
    package let operation: String
    /// How many operations one repetition does.
    private let items: Int
    /// How many repetitions may be prepared at once.
    private let repetitionsAtOnce: Int
    /// Whether something is used up, and prepared outside the clock.
    package var isPrepared: Bool { repetitionsAtOnce < .max }
    /// How many operations one repetition does: where the count must come out even, a multiple of it.
    package var batch: Int { items }
    private let span: (_ repetitions: Int, _ meter: Meter) -> UInt64

    // Enough that the meter's own cost is forgotten (most of a microsecond for the clock of a process), and few enough to
    // stay in the cache.
    private static let preparedItems = 256

    /// An operation that needs nothing prepared.
    ///
    /// - Parameters:
    ///   - items: how many operations one repetition does.
    ///   - perform: does as many repetitions as it is told, and returns something that depends on all results.
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

    /// An operation on something that is used up, and prepared outside the clock.
    ///
    /// - Parameters:
    ///   - items: how many operations `perform` does.
    ///   - prepare: makes what one call of `perform` uses up.
    ///   - perform: does the operations, and returns something that depends on all results.
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
    /// - Returns: how far the meter moved for each, on average.
    package func mean(of count: Int, _ meter: Meter) -> Double {
        let repetitions = (count + items - 1) / items
        var sum: UInt64 = 0
        for start in stride(from: 0, to: repetitions, by: min(repetitions, repetitionsAtOnce)) {
            sum &+= span(min(repetitions - start, repetitionsAtOnce), meter)
        }
        return Double(sum) / Double(repetitions * items)
    }

    /// Makes one call between two readings of the meter; where operations are done several at a time, all of them.
    package func once(_ meter: Meter) -> UInt64 { span(1, meter) }
}

/// Takes a result, so that the work for it cannot be left out.
@_optimize(none)
package func keep(_ result: Int) {}
