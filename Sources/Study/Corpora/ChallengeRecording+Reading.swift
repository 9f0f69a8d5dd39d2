internal import Crypto
public import Foundation
internal import SPKIPins
internal import WireFormat

/// Why a recording cannot be read.
public struct RecordingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file or folder.
    public let path: String
    /// The line, from 1; absent when the whole file is meant.
    public let line: Int?
    /// What is wrong and what to do.
    public let problem: String

    package init(path: String, line: Int?, problem: String) {
        self.path = path
        self.line = line
        self.problem = problem
    }

    /// A file or folder that the system does not let us read.
    static func unreadable(_ path: String, _ reason: FileReadError) -> Self {
        let problem =
            "cannot be read (\(reason)): name a regular file that you may read; "
            + "a recording needs all of its files"
        return Self(path: path, line: nil, problem: problem)
    }

    /// One line: where, what, and what to do.
    public var description: String { "\(path)\(line.map { ":\($0)" } ?? ""): \(problem)" }
}

extension ChallengeRecording {
    /// The bounds on what is read.
    public enum Limits {
        /// Bytes of one file.
        public static let fileBytes = 256 * 1024 * 1024
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

    private static func readPool(_ path: String) throws(RecordingError) -> [String: [UInt8]] {
        let text = try readFile(path)
        do throws(PEMError) {
            var pool: [String: [UInt8]] = [:]
            for certificate in try PEM.certificates(in: [UInt8](text).span) {
                pool[Hexadecimal.encode([UInt8](SHA256.hash(data: certificate)).span)] = certificate
            }
            return pool
        } catch {
            throw RecordingError(path: path, line: nil, problem: "\(error)")
        }
    }

    /// The bytes of a file of at most ``Limits/fileBytes`` bytes.
    package static func readFile(_ path: String) throws(RecordingError) -> Data {
        let descriptor: Int32
        do throws(FileReadError) {
            descriptor = try FileReading.openFile(path)
        } catch {
            throw .unreadable(path, error)
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? file.read(upToCount: Limits.fileBytes + 1) ?? Data() else {
            throw RecordingError(path: path, line: nil, problem: "cannot be read to its end: check the disk")
        }
        guard data.count <= Limits.fileBytes else {
            throw RecordingError(path: path, line: nil, problem: "larger than \(Limits.fileBytes) bytes: split it")
        }
        return data
    }
}
