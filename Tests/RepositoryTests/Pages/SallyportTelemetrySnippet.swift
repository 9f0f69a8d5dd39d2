import Logging
import Sallyport
import SallyportTelemetry

/// The snippet of SallyportTelemetry.md.
enum SallyportTelemetrySnippet {
    static func handler(_ profile: SecurityProfile, _ logger: Logger) throws -> ChallengeHandler {
        let observer = EventObserver([.logging(to: logger), .metrics()])
        let handler = try ChallengeHandler(profile: profile, observer: observer)
        return handler
    }
}
