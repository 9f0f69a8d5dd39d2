public import Foundation
internal import SPKIPins
internal import WireFormat

extension ChainRecording {
    /// The bounds on what is read.
    public enum Limits {
        /// Bytes of one file.
        public static let fileBytes = 8 << 30
        /// Bytes of one line.
        public static let lineBytes = 256 << 10
        /// Bytes of a certificate in PEM, with the text before it.
        public static let blockBytes = 256 << 10
        /// Observations in a recording.
        public static let observations = 16 << 20
        /// Certificates in a recording.
        public static let certificates = 8 << 20
        /// Certificates in a chain.
        public static let chain = CertificateChain.mostCertificates
        /// Keys that an operator holds in reserve.
        public static let nextKeys = 16
    }

    /// Reads a recording's folder: `observations.ndjson`, `certificates.ndjson`, and `recording.json` and
    /// `certificates.pem` when they are there.
    ///
    /// - Complexity: linear in the bytes of the files, which are read in pieces; what stays in memory is about 150 bytes for
    ///   a certificate besides its subject, and 48 for an observation.
    public init(folder: URL) throws(RecordingError) {
        let description = try Self.describe(folder)
        var pool = CertificatePool(path: folder.appending(path: "certificates.ndjson").path)
        try pool.read()
        let pem = folder.appending(path: "certificates.pem").path
        var bytes = CertificateBytes(path: pem, pool: pool)
        if FileReading.exists(pem) { try bytes.verify() }
        let verified = bytes.verified
        var reader = ObservationReader(path: folder.appending(path: "observations.ndjson").path, pool: pool)
        // The reader owns the pool from here on; two owners would copy it when it learns the next text.
        pool = CertificatePool(path: "")
        try reader.read()
        self = reader.recording(
            name: description.name ?? folder.standardizedFileURL.lastPathComponent,
            origin: description.origin ?? "",
            timeMeaning: description.time ?? "",
            verified: verified
        )
    }

    private struct Description: Decodable {
        var name: String?
        var origin: String?
        var time: String?
    }

    private static func describe(_ folder: URL) throws(RecordingError) -> Description {
        let path = folder.appending(path: "recording.json").path
        guard FileReading.exists(path) else { return Description() }
        let data = try RecordingFile.read(path)
        do throws(JSONProblem) {
            try JSONCheck.check(data.span)
        } catch {
            throw RecordingError(path: path, line: error.line, problem: error.problem)
        }
        guard data.count <= Limits.lineBytes, let description = try? JSONDecoder().decode(Description.self, from: data)
        else {
            let problem = "not a JSON object with the texts name, origin and time: write it so, or take it away"
            throw RecordingError(path: path, line: nil, problem: problem)
        }
        return description
    }
}
