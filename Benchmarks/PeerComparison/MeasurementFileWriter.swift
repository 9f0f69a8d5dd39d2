/// Measures and prints the lines of a ``MeasurementFile``, as the programs of peers do.
package struct MeasurementFileWriter {
    /// Whether fewer rounds are enough, because only the run itself is checked.
    package let isQuick: Bool
    private let allocations = Allocations()

    package init(isQuick: Bool) { self.isQuick = isQuick }

    /// Runs `body` in rounds of about two milliseconds, and prints each round's time for a unit; or, if the counter of
    /// allocations is preloaded, once, and prints the allocations for a unit.
    ///
    /// - Parameters:
    ///   - count: how many units `body` does.
    ///   - body: returns a number that depends on all of its work.
    package func measure(_ operation: String, by who: String = "Sallyport", per count: Int, _ body: () -> UInt64) {
        var sum = body()
        if let allocations {
            let before = allocations.soFar
            sum &+= body()
            // Before the line is made, which allocates.
            let taken = allocations.soFar - before
            print("allocations\t\(who)\t\(operation)\t\(Double(taken) / Double(count))")
            return keep(Int(truncatingIfNeeded: sum))
        }
        let start = Clock.processor()
        sum &+= body()
        let repeats = max(1, 2_000_000 / max(Clock.processor() - start, 1))
        for _ in 0..<(isQuick ? 7 : 25) {
            let start = Clock.processor()
            for _ in 0..<repeats { sum &+= body() }
            let nanoseconds = Double(Clock.processor() - start) / Double(Int(repeats) * count)
            print("time\t\(who)\t\(operation)\t\(nanoseconds)")
        }
        keep(Int(truncatingIfNeeded: sum))
    }
}
