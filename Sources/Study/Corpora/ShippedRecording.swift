public import Foundation
internal import RecordedData

/// The recordings that ship with the project, by name.
public enum ShippedRecording: String, CaseIterable, Sendable {
    /// A day of challenges from real servers on loopback; its `ORIGIN.md` tells how it was made.
    case corporateDay = "corporate-day"

    /// The folder of the recording.
    public func folder() throws(RecordingError) -> URL {
        try ShippedFolder.named(rawValue, holding: "events.ndjson")
    }

    /// Reads all exchanges into memory; throws where a file is missing or a line is malformed.
    public func load() throws(RecordingError) -> ChallengeRecording {
        try ChallengeRecording(folder: folder())
    }
}

/// The recordings of chains that ship with the project, by name.
public enum ShippedChainRecording: String, CaseIterable, Sendable {
    /// Nine public web sites over two and a half years; its `ORIGIN.md` tells where from.
    case publicSites = "public-sites"
    /// Two hundred simulated hosts over three years, impostors among them; its `ORIGIN.md` tells how it was made.
    case lab

    /// The folder of the recording.
    public func folder() throws(RecordingError) -> URL {
        try ShippedFolder.named(rawValue, holding: "observations.ndjson")
    }

    /// Reads observations and certificates into memory; throws where a file is missing or a line is malformed.
    public func load() throws(RecordingError) -> ChainRecording {
        try ChainRecording(folder: folder())
    }
}

/// Where a recording that ships is found.
enum ShippedFolder {
    /// The folder that ``RecordedData`` finds, or the error that says what to do instead.
    static func named(_ name: String, holding file: String) throws(RecordingError) -> URL {
        guard let found = RecordedData.folder(named: name, holding: file) else {
            let problem = "the shipped recording is not beside the program: name a recording's folder"
            throw RecordingError(path: name, line: nil, problem: problem)
        }
        return found
    }
}
