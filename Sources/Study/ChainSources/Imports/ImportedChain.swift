package import Corpora

/// A chain that another tool recorded.
package struct ImportedChain: Equatable, Sendable {
    /// The server.
    package var endpoint: RecordedEndpoint
    /// When it was seen, in seconds since 1970.
    package var time: Int64
    /// DER, as the server sent it: the leaf first.
    package var presented: [[UInt8]]
    /// Roots that the recording itself names; empty where it names none.
    package var roots: [[UInt8]] = []
    /// Which tool, and where in its output.
    package var source: String
    /// What the tool itself says of the chain, as one line of printable ASCII; `nil` if it does not say.
    package var verdict: String?

    /// What a recording says of the chain: nothing if it is validated, or else why it is not and what the tool says.
    package func note(_ outcome: ChainValidator.Outcome) -> String? {
        outcome.note.map { note in verdict.map { "\(note); the scan says: \($0)" } ?? note }
    }
}

/// What an importer needs to know besides the file, and what it counts.
package struct ImportOptions: Sendable {
    /// The time of everything, where no better one is in the file; the file's own time when `nil`.
    package var time: Int64?
    /// The server, where the file does not say.
    package var endpoint: RecordedEndpoint?

    /// How to import.
    package init(time: Int64? = nil, endpoint: RecordedEndpoint? = nil) {
        self.time = time
        self.endpoint = endpoint
    }
}

/// The formats that can be imported.
package enum ImportFormat: String, CaseIterable, Sendable {
    /// A folder of PEM files, or one of them: a chain in each, the leaf first, named for its host.
    case pem
    /// What `openssl s_client -showcerts` printed.
    case openssl
    /// Test cases of x509-limbo.
    case limbo
    /// What `zgrab2 tls` or `zgrab2 http` printed: one JSON object a line.
    case zgrab2

    /// Calls `body` with each chain of a file or folder, in order.
    ///
    /// - Returns: entries that held no chain that can be imported (failed scans, client tests), and why.
    package func forEachChain(
        in path: String,
        _ options: ImportOptions,
        _ body: (ImportedChain) throws(RecordingError) -> Void
    ) throws(RecordingError) -> ImportLosses {
        switch self {
        case .pem: try PEMFolder(options: options).forEachChain(in: path, body)
        case .openssl: try OpenSSLOutput(options: options).forEachChain(in: path, body)
        case .limbo: try LimboCases(options: options).forEachChain(in: path, body)
        case .zgrab2: try ZGrabLines(options: options).forEachChain(in: path, body)
        }
    }
}
