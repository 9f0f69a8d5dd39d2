internal import PeerComparison

/// Prints what operations take.
struct Measuring {
    let isQuick: Bool
    /// Zero, which the compiler cannot know: added to an index, it makes one look-up wait for the one before.
    let nothing: Int

    init(isQuick: Bool) {
        self.isQuick = isQuick
        nothing = CommandLine.arguments.count > 1000 ? 1 : 0
    }

    /// Runs `body` in rounds of about two milliseconds, and prints each round's time for a unit.
    func measure(_ operation: String, by who: String = "Sallyport", per count: Int, _ body: () -> UInt64) {
        var sum = body()
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

    /// Looks for each question in turn, as fast as they come.
    ///
    /// - Parameter answer: positive for what is found.
    func lookUps<Question>(
        _ operation: String,
        by who: String = "Sallyport",
        _ questions: [Question],
        _ answer: (borrowing Question) -> Int
    ) {
        measure(operation, by: who, per: questions.count) {
            // By index of a span: an array's elements are retained one by one.
            let questions = questions.span
            var sum = 0
            for index in questions.indices { sum &+= answer(questions[index]) }
            return UInt64(truncatingIfNeeded: sum)
        }
    }

    /// The same, each waiting for what the one before has read of what it found.
    func dependentLookUps<Question>(
        _ operation: String,
        by who: String = "Sallyport",
        _ questions: [Question],
        _ answer: (borrowing Question) -> Int
    ) {
        measure("\(operation), dependent", by: who, per: questions.count) {
            let questions = questions.span
            var sum = 0
            for index in questions.indices { sum &+= answer(questions[index &+ sum & nothing]) }
            return UInt64(truncatingIfNeeded: sum)
        }
    }
}
