public import Foundation

/// The recordings that ship with the project, by name.
public enum ShippedRecording: String, CaseIterable, Sendable {
    /// A day of challenges from real servers on loopback; its `ORIGIN.md` tells how it was made.
    case corporateDay = "corporate-day"

    /// The folder of the recording.
    public func folder() throws(RecordingError) -> URL {
        try ShippedFolder.named(rawValue, holding: "events.ndjson")
    }

    /// Reads the recording.
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

    /// Reads the recording.
    public func load() throws(RecordingError) -> ChainRecording {
        try ChainRecording(folder: folder())
    }
}

/// Where a recording that ships is found.
enum ShippedFolder {
    /// Looked for beside the executable, where a packaged build keeps its resources, then in the source tree that the
    /// program was built from.
    static func named(_ name: String, holding file: String) throws(RecordingError) -> URL {
        let bundle = Bundle.main.bundleURL.appending(path: "sallyport_Corpora.resources")
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let candidates = [
            bundle.appending(path: name), sources.appending(path: "Recordings").appending(path: name),
        ]
        let found = candidates.first { folder in
            FileManager.default.fileExists(atPath: folder.appending(path: file).path)
        }
        guard let found else {
            let problem = "the shipped recording is not beside the program: name a recording's folder"
            throw RecordingError(path: name, line: nil, problem: problem)
        }
        return found
    }
}
