internal import Foundation
internal import WireFormat

/// One NDJSON file of a recording: a header line, then one event a line.
struct EventFile {
    let header: RecordingHeader
    let events: [RecordedEvent]

    private struct Line: Decodable {
        let type: String
        let exchange: Int
        let leg: Int
        let kind: String
        let time: String
        let connection: Int
        let origin: String
        let expected: ExpectedVerdict
    }

    private struct TypedLine: Decodable {
        let type: String
        let time: String
    }

    private struct ForgivenLine: Decodable {
        let account: String
    }

    init(path: String, pool: [String: [UInt8]]) throws(RecordingError) {
        let data = try RecordingFile.read(path)
        var header: RecordingHeader?
        var events: [RecordedEvent] = []
        var reader = LineReader(path: path, pool: pool)
        for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            reader.number += 1
            guard !isBlank(line.span) else { continue }
            if header == nil {
                header = try reader.header(line)
            } else if header?.redacted == true {
                if let event = try reader.transcriptEvent(line) { events.append(event) }
            } else {
                events.append(try reader.event(line))
            }
        }
        guard let header else {
            throw RecordingError(path: path, line: nil, problem: "has no header line: is this a recording?")
        }
        self.header = header
        self.events = events
    }

    private struct LineReader {
        let path: String
        let pool: [String: [UInt8]]
        var number = 0
        private let decoder = JSONDecoder()

        init(path: String, pool: [String: [UInt8]]) {
            self.path = path
            self.pool = pool
        }

        func header(_ line: Data) throws(RecordingError) -> RecordingHeader {
            try check(line)
            let header = try decode(RecordingHeader.self, line)
            guard header.format == ChallengeRecording.format else {
                throw error("format '\(header.format)': expected '\(ChallengeRecording.format)'")
            }
            guard header.version == ChallengeRecording.version else {
                throw error("version \(header.version): this reader knows version \(ChallengeRecording.version)")
            }
            return header
        }

        func event(_ line: Data) throws(RecordingError) -> RecordedEvent {
            try check(line)
            let common = try decode(Line.self, line)
            let content: RecordedEvent.Content
            switch common.type {
            case "tls": content = .handshake(try handshake(line))
            case "response": content = .response(try response(line))
            case "password": content = .password(try password(line))
            default: throw error("type '\(common.type)': expected 'tls', 'response' or 'password'")
            }
            return RecordedEvent(
                exchange: common.exchange,
                leg: common.leg,
                kind: common.kind,
                unixMicroseconds: try microseconds(of: common.time),
                connection: common.connection,
                origin: common.origin,
                content: content,
                expected: common.expected
            )
        }

        /// An event of a transcript; `nil` for a note to its readers.
        func transcriptEvent(_ line: Data) throws(RecordingError) -> RecordedEvent? {
            try check(line)
            let typed = try decode(TypedLine.self, line)
            switch typed.type {
            case "note": return nil
            case "profile":
                return noted(.profile(try decode(RecordedProfile.self, line)), at: try microseconds(of: typed.time))
            case "forgiven":
                let account = try decode(ForgivenLine.self, line).account
                return noted(.forgiven(account: account), at: try microseconds(of: typed.time))
            default: return try event(line)
            }
        }

        private func noted(_ content: RecordedEvent.Content, at time: Int64) -> RecordedEvent {
            RecordedEvent(
                exchange: 0,
                leg: 0,
                kind: "profile",
                unixMicroseconds: time,
                connection: -1,
                origin: "",
                content: content,
                expected: ExpectedVerdict(verdict: "noted", reason: nil, identity: nil)
            )
        }

        private func microseconds(of text: String) throws(RecordingError) -> Int64 {
            do throws(TimestampError) {
                let time = try Timestamp(parsing: text)
                return time.seconds * 1_000_000 + time.microseconds
            } catch {
                throw self.error("time: \(error)")
            }
        }

        private func handshake(_ line: Data) throws(RecordingError) -> RecordedHandshake {
            let handshake = try decode(RecordedHandshake.self, line)
            try check(handshake.presented + (handshake.validated ?? []))
            return handshake
        }

        private func response(_ line: Data) throws(RecordingError) -> RecordedResponse {
            let response = try decode(RecordedResponse.self, line)
            try check(response.chain)
            guard response.fields.allSatisfy({ $0.count == 2 }) else {
                throw error("a field is not a pair of name and value")
            }
            return response
        }

        private func password(_ line: Data) throws(RecordingError) -> RecordedPassword {
            let password = try decode(RecordedPassword.self, line)
            guard !password.secret.contains("/"), !password.secret.hasPrefix(".") else {
                throw error("the secret must be the name of a file in 'secrets'")
            }
            return password
        }

        private func check(_ chain: [String]) throws(RecordingError) {
            for hash in chain where pool[hash] == nil {
                throw error("certificate \(hash) is not in certificates.pem: the recording is incomplete")
            }
        }

        /// What a decoder would let pass.
        private func check(_ line: Data) throws(RecordingError) {
            guard line.count <= ChallengeRecording.Limits.lineBytes else {
                throw error("longer than \(ChallengeRecording.Limits.lineBytes) bytes: shorten it")
            }
            do throws(JSONProblem) {
                try JSONCheck.check(line.span)
            } catch {
                throw self.error(error.problem)
            }
        }

        private func decode<Value: Decodable>(_ type: Value.Type, _ line: Data) throws(RecordingError) -> Value {
            do {
                return try decoder.decode(type, from: line)
            } catch let failure as DecodingError {
                throw error(describe(failure))
            } catch {
                throw self.error("not a JSON object")
            }
        }

        private func describe(_ failure: DecodingError) -> String {
            switch failure {
            case .keyNotFound(let key, _): "the field '\(key.stringValue)' is missing"
            case .typeMismatch(_, let context), .valueNotFound(_, let context):
                "the field '\(context.codingPath.map(\.stringValue).joined(separator: "."))' has another type"
            default: "not a JSON object"
            }
        }

        private func error(_ problem: String) -> RecordingError {
            RecordingError(path: path, line: number, problem: problem)
        }
    }
}
