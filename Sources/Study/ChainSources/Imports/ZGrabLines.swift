internal import Corpora
internal import Foundation
internal import WireFormat

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
                struct Request: Decodable {
                    let tlsLog: Log?

                    enum CodingKeys: String, CodingKey { case tlsLog = "tls_log" }
                }

                let request: Request?
            }

            enum CodingKeys: String, CodingKey {
                case handshakeLog = "handshake_log"
                case response
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

            enum CodingKeys: String, CodingKey { case serverCertificates = "server_certificates" }
        }

        let handshakeLog: Handshake?

        enum CodingKeys: String, CodingKey { case handshakeLog = "handshake_log" }
    }

    private struct Certificate: Decodable { let raw: Data? }

    func forEachChain(
        in path: String,
        _ body: (ImportedChain) throws(RecordingError) -> Void
    ) throws(RecordingError) -> ImportLosses {
        let decoder = JSONDecoder()
        var losses = ImportLosses()
        try LineFeed(path: path, lineBytes: Self.lineBytes, allowsPipe: true).forEach {
            (bytes, number) throws(RecordingError) in
            do throws(JSONProblem) {
                try JSONCheck.check(bytes)
            } catch {
                throw RecordingError(path: path, line: number, problem: error.problem)
            }
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
                losses.leaveOut("\(path):\(number)", "the scan saw no certificate, so there is no chain to import")
                return
            }
            try body(chain)
        }
        return losses
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
            let time = try ImportFile.time(module.timestamp, options, (path, line: number))
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
