public import Foundation

/// Recorded authentication challenges: what servers asked, what a client answered, and what came of it.
///
/// The format is drawn in this target's documentation.
public struct ChallengeRecording: Sendable {
    /// The folder that was read.
    public let folder: URL
    /// What the first line of each event file says.
    public let headers: [RecordingHeader]
    /// All events, file by file, in the order of the lines.
    public let events: [RecordedEvent]
    /// DER certificates by the SHA-256 of their bytes, in lower-case hexadecimal digits.
    public let certificates: [String: [UInt8]]

    /// Whether the events are a transcript: written by `Sallyport` about its own requests, without secrets, with the profiles that
    /// decided.
    public var isTranscript: Bool { headers.contains { $0.redacted == true } }

    /// The profile that belongs to the recording.
    public var profile: URL { folder.appending(path: "profile.yaml") }

    /// How many exchanges the events belong to.
    public var exchangeCount: Int { Set(events.map(\.exchange)).count }

    init(folder: URL, headers: [RecordingHeader], events: [RecordedEvent], certificates: [String: [UInt8]]) {
        self.folder = folder
        self.headers = headers
        self.events = events
        self.certificates = certificates
    }
}

/// The first line of an event file.
public struct RecordingHeader: Decodable, Sendable, Equatable {
    /// Always ``ChallengeRecording/format``.
    public let format: String
    /// Always ``ChallengeRecording/version``.
    public let version: Int
    /// When the recording was made (RFC 3339).
    public let recorded: String
    /// Whether a person wrote the events, rather than real servers.
    public let madeByHand: Bool
    /// Whether secrets were replaced; absent for no.
    public let redacted: Bool?
}

extension ChallengeRecording {
    /// The `format` of every header.
    public static let format = "sallyport-challenge-recording"
    /// The `version` of every header that this reader understands.
    public static let version = 1
}
