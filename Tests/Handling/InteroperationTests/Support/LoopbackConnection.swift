import Foundation
import HTTPTypes
import LiveServers
import TestSupport
import WireFormat

/// One connection to a server on this machine, kept open over several requests.
///
/// Just enough of HTTP/1.1 for a test: a status line, header fields, and a body of known length that is thrown away.
final class LoopbackConnection {
    struct Response {
        let status: Int
        let fields: HTTPFields
        /// Whether the server closes the connection after this response.
        let isLast: Bool
    }

    /// The certificate that the server presented; empty without TLS.
    let certificate: [UInt8]
    private let stream: ByteStream
    /// Who speaks TLS in our place; `nil` without TLS.
    private let tls: HelperProcess?

    init(port: UInt16, isTLS: Bool = false) throws {
        guard isTLS else {
            (stream, tls, certificate) = (try ByteStream(port: port), nil, [])
            return
        }
        let process = try HelperProcess(["python3", HelperFile.path("tls_pipe.py"), "\(port)"])
        certificate = try Hexadecimal.decode(process.readLine())
        (stream, tls) = (process.bytes, process)
    }

    /// Sends a request without a body and waits for its response.
    func request(
        _ method: String = "GET",
        _ target: String,
        host: String,
        field: HTTPField? = nil
    ) throws -> Response {
        try request(method, target, host: host, fields: field.map { [$0] } ?? [])
    }

    /// Sends a request and waits for its response.
    ///
    /// - Parameter body: the body; `nil` sends no `Content-Length`.
    func request(
        _ method: String,
        _ target: String,
        host: String,
        fields: [HTTPField],
        body: [UInt8]? = nil
    ) throws -> Response {
        var request = Array("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n".utf8)
        if let body { request += Array("Content-Length: \(body.count)\r\n".utf8) }
        for field in fields {
            request += Array("\(field.name.rawName): ".utf8)
            unsafe field.withUnsafeBytesOfValue { unsafe request.append(contentsOf: $0) }
            request += Array("\r\n".utf8)
        }
        try stream.send(request + Array("\r\n".utf8) + (body ?? []))
        return try response(to: method)
    }

    private func response(to method: String) throws -> Response {
        // Bytes, because a value need not be UTF-8.
        let head = try stream.read(upTo: Array("\r\n\r\n".utf8)).filter { $0 != UInt8(ascii: "\r") }
        var lines = head.split(separator: UInt8(ascii: "\n"))
        let statusLine = String(decoding: lines.removeFirst(), as: UTF8.self).split(separator: " ")
        guard statusLine.count >= 2, let status = Int(statusLine[1]) else { throw PeerFailure(what: "status line") }
        var fields = HTTPFields()
        for line in lines {
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2, let name = HTTPField.Name(String(decoding: parts[0], as: UTF8.self)) else {
                continue
            }
            fields.append(HTTPField(name: name, value: Array(parts[1].trimmingPrefix { $0 == UInt8(ascii: " ") })))
        }
        guard fields[.transferEncoding] == nil else { throw PeerFailure(what: "a response of unknown length") }
        // What follows the head of a tunnel is the tunnel.
        let isTunnel = method == "CONNECT" && status == 200
        _ = try stream.read(count: isTunnel ? 0 : fields[.contentLength].flatMap { Int($0) } ?? 0)
        let connection = fields[.connection]?.lowercased()
        let isLast = connection?.contains("close") ?? (statusLine[0] == "HTTP/1.0")
        return Response(status: status, fields: fields, isLast: isLast)
    }
}
