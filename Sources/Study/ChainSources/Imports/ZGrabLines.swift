internal import Corpora
internal import Foundation

/// What `zgrab2 tls` and `zgrab2 http` print: one scanned host a line, certificates as base64 of their DER.
struct ZGrabLines {
    /// Bytes of one line: what `zgrab2 http` prints holds the page, of which it keeps 256 KiB, and every byte may take six.
    static let lineBytes = 4 << 20

    let options: ImportOptions

    private struct Line: Decodable {
        let ip: String?
        let domain: String?
        let data: [String: Module]
    }

    private struct Module: Decodable {
        struct Result: Decodable {
            struct Response: Decodable {
                struct Request: Decodable { let tlsLog: Log? }
                let request: Request?
            }

            let handshakeLog: Log.Handshake?
            let response: Response?
        }

        let timestamp: String?
        let port: Int?
        let result: Result?
    }

    private struct Log: Decodable {
        struct Handshake: Decodable {
            struct Certificates: Decodable {
                let certificate: Certificate?
                let chain: [Certificate]?
            }

            let serverCertificates: Certificates?
        }

        let handshakeLog: Handshake?
    }

    private struct Certificate: Decodable { let raw: Data? }

    func forEachChain(
        in path: String,
        _ body: (ImportedChain) throws(RecordingError) -> Void
    ) throws(RecordingError) -> Int {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        var without = 0
        try LineFeed(path: path, lineBytes: Self.lineBytes).forEach { (bytes, number) throws(RecordingError) in
            var copy = Data(capacity: bytes.count)
            for index in 0..<bytes.count { copy.append(bytes[index]) }
            guard let line = try? decoder.decode(Line.self, from: copy) else {
                throw RecordingError(
                    path: path,
                    line: number,
                    problem: "not a line of zgrab2's output: leave it out, or scan again"
                )
            }
            guard let chain = try chain(of: line, path, number) else {
                without += 1
                return
            }
            try body(chain)
        }
        return without
    }

    private func chain(of line: Line, _ path: String, _ number: Int) throws(RecordingError) -> ImportedChain? {
        // A line may hold several scans; the first by name that saw a chain is it.
        for (name, module) in line.data.sorted(by: { $0.key < $1.key }) {
            let handshake = module.result?.handshakeLog ?? module.result?.response?.request?.tlsLog?.handshakeLog
            guard let certificates = handshake?.serverCertificates, let leaf = certificates.certificate?.raw else {
                continue
            }
            let domain = line.domain.flatMap { $0.isEmpty ? nil : $0 }
            guard let host = domain ?? line.ip,
                var endpoint = RecordedEndpoint(parsing: host.contains(":") ? "[\(host)]" : host)
            else {
                throw RecordingError(
                    path: path,
                    line: number,
                    problem: "names no host (domain or ip): add one, or leave the line out"
                )
            }
            if let port = module.port { endpoint = RecordedEndpoint(host: endpoint.host, port: port) }
            let written = module.timestamp.flatMap { try? Date($0, strategy: .iso8601) }
            guard let time = written.map({ Int64($0.timeIntervalSince1970) }) ?? options.time else {
                throw RecordingError(
                    path: path,
                    line: number,
                    problem: "says no time like 2026-01-31T09:30:00Z: use --at"
                )
            }
            let presented = [leaf] + (certificates.chain ?? []).compactMap(\.raw)
            return ImportedChain(
                endpoint: endpoint,
                time: time,
                presented: presented.map { [UInt8]($0) },
                source: "zgrab2 \(name)"
            )
        }
        return nil
    }
}
