internal import PeerComparison

/// Prints what operations take.
struct Measuring {
    let writer: MeasurementFileWriter
    /// Zero, which the compiler cannot know: added to an index, it makes one look-up wait for the one before.
    private let nothing: Int = CommandLine.arguments.count > 1000 ? 1 : 0

    func measure(_ operation: String, by who: String = "Sallyport", per count: Int, _ body: () -> UInt64) {
        writer.measure(operation, by: who, per: count, body)
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
