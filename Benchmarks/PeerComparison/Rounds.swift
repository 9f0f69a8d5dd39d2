/// Measures implementations in turns, so that a busy machine slows all of them.
package struct Rounds {
    /// How many samples each implementation gives.
    package var count: Int
    /// The approximate duration of a sample.
    package var sampleNanoseconds: UInt64

    package init(count: Int, sampleNanoseconds: UInt64) {
        self.count = count
        self.sampleNanoseconds = sampleNanoseconds
    }

    /// Notes the processor time that each implementation takes for one operation, once a round.
    package func run(_ implementations: [MeasuredImplementation], into measurementFile: inout MeasurementFile) {
        let counts = implementations.map(operationsOfASample)
        for _ in 0..<count {
            for (implementation, operations) in zip(implementations, counts) {
                let nanoseconds = implementation.mean(of: operations, Clock.processor)
                measurementFile.note(.time(nanoseconds), of: implementation.operation, by: implementation.who)
            }
        }
    }

    /// Doubles until a sample is long enough; warms caches on the way.
    private func operationsOfASample(_ implementation: MeasuredImplementation) -> Int {
        var operations = 1
        while implementation.mean(of: operations, Clock.processor) * Double(operations) < Double(sampleNanoseconds) {
            operations *= 2
        }
        return operations
    }
}
