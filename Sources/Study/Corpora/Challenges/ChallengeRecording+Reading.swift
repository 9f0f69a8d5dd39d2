public import Foundation
internal import SPKIPins
internal import Secrets
internal import WireFormat

extension ChallengeRecording {
    /// The bounds on what is read.
    public enum Limits {
        /// Bytes of one file.
        public static let fileBytes = RecordingFile.maximumBytes
        /// Bytes of one line: the longest header field that a parser takes, and room to spare.
        public static let lineBytes = 512 * 1024
    }

    /// Reads a recording's folder: `events.ndjson`, `hostile.ndjson` when there is one, and `certificates.pem`.
    ///
    /// - Complexity: linear; all events are held in memory.
    public init(folder: URL) throws(RecordingError) {
        let pool = try Self.readPool(folder.appending(path: "certificates.pem").path)
        var headers: [RecordingHeader] = []
        var events: [RecordedEvent] = []
        var files = [folder.appending(path: "events.ndjson")]
        let hostile = folder.appending(path: "hostile.ndjson")
        if FileReading.exists(hostile.path) { files.append(hostile) }
        for file in files {
            let read = try EventFile(path: file.path, pool: pool)
            headers.append(read.header)
            events += read.events
        }
        guard !events.isEmpty else {
            throw RecordingError(path: files[0].path, line: nil, problem: "holds no event: is the recording complete?")
        }
        self.init(folder: folder, headers: headers, events: events, certificates: pool)
    }

    /// Reads a transcript: one file that holds its profiles, and no certificate.
    ///
    /// - Complexity: linear; all events are held in memory.
    public init(transcript file: URL) throws(RecordingError) {
        let read = try EventFile(path: file.path, pool: [:])
        guard read.header.redacted == true else {
            let problem = "is the event file of a recording: name the folder that contains it"
            throw RecordingError(path: file.path, line: 1, problem: problem)
        }
        guard !read.events.isEmpty else {
            throw RecordingError(path: file.path, line: nil, problem: "holds no event: is the transcript complete?")
        }
        self.init(
            folder: file.deletingLastPathComponent(),
            headers: [read.header],
            events: read.events,
            certificates: [:]
        )
    }

    private static func readPool(_ path: String) throws(RecordingError) -> [String: [UInt8]] {
        let text = try RecordingFile.read(path)
        do throws(PEMError) {
            var pool: [String: [UInt8]] = [:]
            for certificate in try PEM.certificates(in: [UInt8](text).span) {
                pool[Hexadecimal.encode(Digest32(sha256Of: certificate.span).bytes.span)] = certificate
            }
            return pool
        } catch {
            throw RecordingError(path: path, line: nil, problem: "\(error)")
        }
    }
}
