internal import Foundation

/// A line on standard error that says what is being done, for a stage that takes more than a second, on a terminal only.
enum StageProgress {
    static func run<Result>(_ stage: String, _ work: () throws -> Result) rethrows -> Result {
        guard StandardError.isTerminal else { return try work() }
        // The stage has no steps to count, so another thread counts seconds.
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "progress"))
        let start = SuspendingClock().now
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler {
            let seconds = (SuspendingClock().now - start).components.seconds
            StandardError.replaceLine(with: "\(stage), \(seconds) s")
        }
        timer.resume()
        defer {
            timer.cancel()
            if SuspendingClock().now - start >= .seconds(1) { StandardError.replaceLine(with: "") }
        }
        return try work()
    }
}
