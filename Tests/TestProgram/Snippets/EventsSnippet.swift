import Foundation
import Logging
import Sallyport
import SallyportTelemetry

/// The snippets of Events.md.
enum EventsSnippet {
    static func observing(
        _ profile: SecurityProfile,
        _ stream: EventStream,
        _ logger: Logger
    ) throws -> ChallengeHandler {
        let observer = EventObserver([.logging(to: logger), .metrics(), stream.observer])
        let handler = try ChallengeHandler(profile: profile, observer: observer)
        return handler
    }

    static func writing(_ stream: EventStream, to file: FileHandle) async throws {
        var transcript = Transcript()
        for await event in stream.events {
            try file.write(contentsOf: transcript.record(event))
        }
        try file.write(contentsOf: transcript.finish())
    }
}
