import Logging
import NIOConcurrencyHelpers

/// Keeps what a relay logs from `notice` on.
final class RecordedLog: Sendable {
    struct Line {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
    }

    private let lines = NIOLockedValueBox<[Line]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    /// The entries with a level, in their order.
    func lines(_ level: Logger.Level) -> [Line] { lines.withLockedValue { $0.filter { $0.level == level } } }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = Line(
                level: event.level,
                message: "\(event.message)",
                metadata: (event.metadata ?? [:]).mapValues { "\($0)" }
            )
            log.lines.withLockedValue { $0.append(line) }
        }
    }
}
