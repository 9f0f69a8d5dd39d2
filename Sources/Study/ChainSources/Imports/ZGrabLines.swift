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
        /// Absent for a name that does not resolve.
        let data: [String: Module]?
        /// Of the summary that zgrab2 prints at the end.
        let statuses: [String: Count]?

        /// Only that it is there matters.
        struct Count: Decodable {}
    }

    private struct Module: Decodable {
        struct Result: Decodable {
            /// An answer over HTTP, with the request that it answers: after a redirect that is another server's.
            struct Response: Decodable {
                struct Request: Decodable {
                    struct Place: Decodable { let host: String? }

                    let url: Place?
                    let host: String?
                    let tlsLog: Log?

                    enum CodingKeys: String, CodingKey {
                        case url, host
                        case tlsLog = "tls_log"
                    }
                }

                let request: Request?
            }

            enum CodingKeys: String, CodingKey {
                case tls, response
                case tlsLog = "tls_log"
                case handshakeLog = "handshake_log"
                case redirects = "redirect_response_chain"
            }

            /// Of the module `tls`.
            let handshakeLog: Log.Handshake?
            /// Of modules that begin TLS inside their protocol, such as `smtp` and `imap`.
            let tls: Log?
            let tlsLog: Log?
            let response: Response?
            let redirects: [Response]?
        }

        let timestamp: String?
        let port: Int?
        let `protocol`: String?
        let result: Result?
    }

    /// Ports of modules whose lines, from older versions, have none; the others are those of HTTPS.
    private static let ports = [
        "amqp091": 5672, "ftp": 21, "imap": 143, "mongodb": 27017, "mssql": 1433, "mysql": 3306, "pop3": 110,
        "postgres": 5432,
        "rdp": 3389, "redis": 6379, "smtp": 25,
    ]

    /// The most responses of one line that are read; zgrab2 follows no redirect unless it is told how many.
    private static let mostResponses = 64

    /// A handshake, and the server that answered it where that is not the line's.
    private struct Seen {
        let handshake: Log.Handshake
        var host: String?
    }

    private struct Log: Decodable {
        struct Handshake: Decodable {
            struct Certificates: Decodable {
                struct Validation: Decodable {
                    let isTrusted: Bool?
                    let error: String?

                    enum CodingKeys: String, CodingKey {
                        case isTrusted = "browser_trusted"
                        case error = "browser_error"
                    }
                }

                let certificate: Certificate?
                let chain: [Certificate]?
                let validation: Validation?
            }

            let serverCertificates: Certificates?

            enum CodingKeys: String, CodingKey { case serverCertificates = "server_certificates" }
        }

        let handshakeLog: Handshake?

        enum CodingKeys: String, CodingKey { case handshakeLog = "handshake_log" }
    }

    private struct Certificate: Decodable { let raw: String? }

    func forEachChain(
        in path: String,
        _ body: (ImportedChain) throws(RecordingError) -> Void
    ) throws(RecordingError) -> ImportLosses {
        let decoder = JSONDecoder()
        var losses = ImportLosses()
        try LineFeed(path: path, lineBytes: Self.lineBytes, allowsPipe: true).forEach {
            (bytes, number) throws(RecordingError) in
            let (chains, unnamed): ([ImportedChain], Bool)
            do throws(RecordingError) {
                let line = try Self.line(bytes, decoder, path, number)
                guard line.data != nil || line.statuses == nil else {
                    losses.leaveOut("\(path):\(number)", "it is the scan's summary, which has no chain")
                    return
                }
                (chains, unnamed) = try self.chains(of: line, path, number)
            } catch {
                losses.leaveOut(error)
                return
            }
            if unnamed {
                losses.leaveOut(
                    "\(path):\(number)",
                    "a redirect names a host that a recording cannot hold: scan it by its name"
                )
            } else if chains.isEmpty {
                losses.leaveOut("\(path):\(number)", "the scan saw no certificate, so there is no chain to import")
            }
            for chain in chains { try body(chain) }
        }
        return losses
    }

    private static func line(
        _ bytes: Span<UInt8>,
        _ decoder: JSONDecoder,
        _ path: String,
        _ number: Int
    ) throws(RecordingError) -> Line {
        do throws(JSONProblem) {
            try JSONCheck.check(bytes)
        } catch {
            // What else was expected differs from line to line, and a scan that was stopped leaves a part of its last one.
            let isCut = if case .expected = error.kind { true } else { false }
            let problem = isCut ? "not JSON, because it was cut or is other output: scan the host again" : error.problem
            throw RecordingError(path: path, line: number, problem: problem)
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
        return line
    }

    /// The chains of a line, and whether one is left out because its host cannot be recorded.
    private func chains(
        of line: Line,
        _ path: String,
        _ number: Int
    ) throws(RecordingError) -> ([ImportedChain], unnamed: Bool) {
        var unnamed = false
        var chains: [ImportedChain] = []
        // A line may hold several scans, each of its own port.
        for (name, module) in (line.data ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let result = module.result else { continue }
            for seen in Self.handshakes(of: result) {
                guard let certificates = seen.handshake.serverCertificates, let leaf = certificates.certificate?.raw
                else {
                    continue
                }
                let own = seen.host.flatMap(RecordedEndpoint.init(parsing:))
                guard own != nil || seen.host == nil else {
                    unnamed = true
                    continue
                }
                var presented: [[UInt8]] = []
                for raw in [leaf] + (certificates.chain ?? []).compactMap(\.raw) {
                    guard let der = Data(base64Encoded: raw) else {
                        let problem = "'raw' of a certificate is not base64: scan the host again"
                        throw RecordingError(path: path, line: number, problem: problem)
                    }
                    presented.append([UInt8](der))
                }
                let endpoint = if let own { own } else { try server(of: line, module, name, path, number) }
                let chain = ImportedChain(
                    endpoint: endpoint,
                    time: try ImportFile.time(module.timestamp, options, (path, line: number)),
                    presented: presented,
                    source: "zgrab2 \(name)",
                    verdict: certificates.validation.flatMap(Self.verdict)
                )
                // Several requests over one connection say the same.
                if !chains.contains(chain) { chains.append(chain) }
            }
        }
        return (chains, unnamed)
    }

    /// The handshakes of a scan: of the module `tls`, inside another protocol, or of each request over HTTP.
    private static func handshakes(of result: Module.Result) -> [Seen] {
        let own = [result.handshakeLog, result.tls?.handshakeLog, result.tlsLog?.handshakeLog].compactMap(\.self)
        if let handshake = own.first { return [Seen(handshake: handshake)] }
        let redirects = result.redirects ?? []
        return (redirects + [result.response].compactMap(\.self)).prefix(mostResponses).compactMap { response in
            guard let request = response.request, let handshake = request.tlsLog?.handshakeLog else { return nil }
            // The URL's host is whose certificate it is; both have the port unless it is the scheme's. Without a redirect it is the line's.
            let host = request.url?.host ?? request.host ?? ""
            return Seen(handshake: handshake, host: host.isEmpty && redirects.isEmpty ? nil : host)
        }
    }

    /// What the scan says of a chain, by the browsers' roots that it knows.
    private static func verdict(_ validation: Log.Handshake.Certificates.Validation) -> String? {
        guard let isTrusted = validation.isTrusted else { return nil }
        guard !isTrusted else { return "trusted by browsers" }
        let error = validation.error.flatMap { $0.isEmpty ? nil : ": \($0)" }
        return PlainLine.text("not trusted by browsers\(error ?? "")")
    }

    /// The server that the line names.
    private func server(
        of line: Line,
        _ module: Module,
        _ name: String,
        _ path: String,
        _ number: Int
    ) throws(RecordingError) -> RecordedEndpoint {
        let named = [line.domain, line.ip].compactMap(\.self).first { !$0.isEmpty }
        guard let host = named,
            let endpoint = RecordedEndpoint(parsing: host.contains(":") ? "[\(host)]" : host)
        else {
            throw RecordingError(
                path: path,
                line: number,
                problem: named == nil
                    ? "names no host (domain or ip): add one, or leave the line out"
                    : "its domain or ip is not a host that a recording can hold: write a name with A-labels, or an address"
            )
        }
        guard let port = module.port ?? Self.ports[module.protocol ?? name] else { return endpoint }
        return RecordedEndpoint(host: endpoint.host, port: port)
    }
}
