import Foundation
import HTTPTypes
import WireFormat

/// One connection to a server on this machine, kept open over several requests.
///
/// Just enough of HTTP/1.1 for a test: a status line, header fields, and a body of known length that is thrown away.
final class LoopbackConnection {
    struct Response {
        let status: Int
        let fields: HTTPFields
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
        let process = try HelperProcess(["python3", Script.own("Support/tls_pipe.py"), "\(port)"])
        certificate = try Hexadecimal.decode(process.readLine())
        (stream, tls) = (process.bytes, process)
    }

    /// Sends a request without a body and waits for its response.
    func request(
        _ method: String = "GET",
        _ target: String,
        host: String,
        field: (name: HTTPField.Name, value: String)? = nil
    ) throws -> Response {
        var request = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
        if let field { request += "\(field.name.rawName): \(field.value)\r\n" }
        try stream.send(Array((request + "\r\n").utf8))
        return try response(to: method)
    }

    private func response(to method: String) throws -> Response {
        var lines = String(decoding: try stream.read(upTo: Array("\r\n\r\n".utf8)), as: UTF8.self)
            .components(separatedBy: "\r\n")
        let statusLine = lines.removeFirst().split(separator: " ")
        guard statusLine.count >= 2, let status = Int(statusLine[1]) else { throw PeerFailure(what: "status line") }
        var fields = HTTPFields()
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
            fields.append(HTTPField(name: name, value: parts[1].trimmingCharacters(in: .whitespaces)))
        }
        // What follows the head of a tunnel is the tunnel.
        let isTunnel = method == "CONNECT" && status == 200
        _ = try stream.read(count: isTunnel ? 0 : fields[.contentLength].flatMap { Int($0) } ?? 0)
        return Response(status: status, fields: fields)
    }
}
