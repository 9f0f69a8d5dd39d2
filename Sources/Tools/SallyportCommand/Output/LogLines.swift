internal import Dispatch
internal import Foundation
internal import Logging
internal import OfflineVerbs
internal import Synchronization
internal import WireFormat

/// Writes log entries to standard error, one line each: text, or a JSON object.
///
/// Entries come from event loops, which must not wait for a terminal. A queue of its own writes them; beyond a bound they are
/// dropped, and their number is written later.
struct LogLines: LogHandler {
    /// The most entries that wait to be written.
    static let mostWaiting = 1_000

    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private let isJSON: Bool
    private let writer = Writer()

    init(isJSON: Bool) { self.isJSON = isJSON }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }.map {
            ($0.key, "\($0.value)")
        }
        let time = Timestamp.text(unixSeconds: SystemClock.unixSeconds)
        let text: String
        if isJSON {
            let members: [(name: String, value: JSONValue)] =
                [
                    ("time", .string(time)), ("level", .string("\(event.level)")),
                    ("message", .string("\(event.message)")),
                ] + all.map { (name: $0.0, value: .string($0.1)) }
            text = JSONValue.object(members).text
        } else {
            text =
                (["\(time) \(event.level) \(event.message)"] + all.map { "\($0.0)=\($0.1)" }).joined(separator: " ")
                .inOneLine
        }
        writer.write(text + "\n")
    }

    /// Waits until all entries are written.
    func finish() { writer.finish() }

    private final class Writer: Sendable {
        private let queue = DispatchQueue(label: "log")
        private let state = Mutex((waiting: 0, dropped: 0))

        func write(_ line: String) {
            let mayWait = state.withLock { state in
                guard state.waiting < LogLines.mostWaiting else {
                    state.dropped += 1
                    return false
                }
                state.waiting += 1
                return true
            }
            guard mayWait else { return }
            queue.async { [self] in
                StandardError.write(line)
                let dropped = state.withLock { state in
                    state.waiting -= 1
                    defer { state.dropped = 0 }
                    return state.dropped
                }
                if dropped > 0 {
                    StandardError.write("\(dropped) entries of the log were dropped: standard error is slow\n")
                }
            }
        }

        func finish() { queue.sync {} }
    }
}
