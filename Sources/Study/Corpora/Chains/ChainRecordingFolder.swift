internal import WireFormat

/// What lies in a folder into which chains are to be written.
struct ChainRecordingFolder {
    let path: String

    /// The folder at `path`, which is made when it is not there.
    init(making path: String) throws(RecordingError) {
        self.path = path
        do throws(FileReadError) {
            try FileReading.makeFolder(path)
        } catch {
            let problem = "cannot be made (\(error)): check path and permissions"
            throw RecordingError(path: path, line: nil, problem: problem)
        }
    }

    private static let observations = "observations.ndjson"
    /// The one file that the folder may contain before the first observation.
    private static let description = "recording.json"
    /// Of a recording of challenges.
    private static let events = "events.ndjson"

    /// Whether a recording of chains is there; `false` for a folder without one that may become one.
    ///
    /// - Throws: an error for a folder that holds something else.
    func holdsObservations() throws(RecordingError) -> Bool {
        let names: [String]
        do throws(FileReadError) {
            names = try FileReading.names(inFolder: path)
        } catch {
            throw .unreadable(path, error)
        }
        guard !names.contains(Self.events) else {
            throw refusal("holds a recording of challenges (\(Self.events))")
        }
        guard names.contains(Self.observations) else {
            guard let other = names.filter({ $0 != Self.description }).min() else { return false }
            throw refusal("holds other files, such as '\(other)', and no \(Self.observations)")
        }
        return try isStarted()
    }

    /// Whether a whole line is there, which must be an observation; one that a crash cut short is taken away by the writer.
    private func isStarted() throws(RecordingError) -> Bool {
        let path = self.path + "/" + Self.observations
        let start: [UInt8]
        do throws(FileReadError) {
            start = try FileReading.start(of: path, count: ChainRecording.Limits.lineBytes + 1)
        } catch {
            throw .unreadable(path, error)
        }
        guard let end = newline(in: start.span, from: 0) else {
            guard start.isEmpty || start[0] == UInt8(ascii: "{") else {
                throw refusal("holds another \(Self.observations)")
            }
            return false
        }
        guard Self.isObservation(start.span.extracting(first: end)) else {
            throw refusal("holds another \(Self.observations)")
        }
        return true
    }

    private static func isObservation(_ line: Span<UInt8>) -> Bool {
        var json = JSONScanner()
        var (hasHost, hasChain) = (false, false)
        do throws(JSONLineError) {
            var isMore = try json.openObject(line)
            while isMore {
                let name = try json.memberName(line)
                if name == JSONName("host") { hasHost = true }
                if name == JSONName("chain") || name == JSONName("presented") { hasChain = true }
                try json.skipUnknown(line)
                isMore = try json.nextMember(line)
            }
        } catch {
            return false
        }
        return hasHost && hasChain
    }

    private func refusal(_ what: String) -> RecordingError {
        RecordingError(path: path, line: nil, problem: "\(what): name a new folder, or a recording of chains")
    }
}
