public import Foundation

/// The recordings that ship with the project, by name.
public enum ShippedRecording: String, CaseIterable, Sendable {
    /// A day of challenges from real servers on loopback; its `ORIGIN.md` tells how it was made.
    case corporateDay = "corporate-day"

    /// The folder of the recording.
    ///
    /// Looked for beside the executable, where a packaged build keeps its resources, then in the source tree that the
    /// program was built from.
    public func folder() throws(RecordingError) -> URL {
        let bundle = Bundle.main.bundleURL.appending(path: "sallyport_Corpora.resources")
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let candidates = [
            bundle.appending(path: rawValue), sources.appending(path: "Recordings").appending(path: rawValue),
        ]
        let found = candidates.first { folder in
            FileManager.default.fileExists(atPath: folder.appending(path: "events.ndjson").path)
        }
        guard let found else {
            let problem = "the shipped recording is not beside the program: name a recording's folder"
            throw RecordingError(path: rawValue, line: nil, problem: problem)
        }
        return found
    }

    /// Reads the recording.
    public func load() throws(RecordingError) -> ChallengeRecording {
        try ChallengeRecording(folder: folder())
    }
}
