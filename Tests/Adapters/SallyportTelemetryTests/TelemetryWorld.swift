import HTTPTypes
import Logging
import Sallyport
import Synchronization

/// A handler whose events are observed, and a server that takes one password.
struct TelemetryWorld {
    static let password = "Correct-Horse"
    let handler: ChallengeHandler

    init(_ observer: EventObserver) throws {
        let account = Account(name: "jdoe", user: "jdoe", password: SharedSecret(utf8: Self.password))
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "*.acme.example", name: "test"),
            schemes: [.ntlm, .basic],
            accounts: [.init(account, sites: ["wiki.acme.example"])]
        )
        handler = try ChallengeHandler(profile: profile, at: 0, observer: observer)
    }

    /// Passes responses to one request.
    func get(_ url: String, _ statuses: Int..., challenge: String = "Basic realm=x") throws {
        var authentication = handler.authentication(of: try OutgoingRequest(url: url), answersInAdvance: false)
        _ = authentication.begin()
        for status in statuses {
            let fields: HTTPFields = status == 401 ? [.wwwAuthenticate: challenge] : [:]
            _ = authentication.received(status: status, fields: fields, on: ConnectionTraits(id: 1))
        }
    }
}

/// Keeps what is logged.
final class RecordedLines: Sendable {
    struct Line {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
    }

    private let lines = Mutex<[Line]>([])
    var all: [Line] { lines.withLock { $0 } }

    func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let lines: RecordedLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

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
            lines.lines.withLock { $0.append(line) }
        }
    }
}
