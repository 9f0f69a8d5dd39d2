import Foundation
import HTTPTypes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// One TCP connection to a server on this machine, kept open over several requests.
///
/// Just enough of HTTP/1.1 for a test: a status line, header fields, and a body of known length that is thrown away.
final class LoopbackConnection {
    struct Failed: Error {
        let what: String
    }

    struct Response {
        let status: Int
        let fields: HTTPFields
    }

    private let descriptor: Int32
    private var received: [UInt8] = []

    init(port: UInt16) throws {
        #if canImport(Glibc)
            // An enumeration in glibc, a number everywhere else.
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Failed(what: "socket") }
        var timeout = timeval(tv_sec: 10, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        // The kernel copies the value; the pointers are good for these calls alone.
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw Failed(what: "connect to port \(port)")
        }
    }

    deinit { close(descriptor) }

    /// Sends a GET and waits for its response.
    func get(_ target: String, host: String, field: (HTTPField.Name, String)? = nil) throws -> Response {
        var request = "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n"
        if let (name, value) = field { request += "\(name.rawName): \(value)\r\n" }
        request += "\r\n"
        let bytes = [UInt8](request.utf8)
        let sent = unsafe bytes.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, 0) }
        guard sent == bytes.count else { throw Failed(what: "send") }
        return try response()
    }

    private func response() throws -> Response {
        let end = Array("\r\n\r\n".utf8)
        var headEnd: Int?
        while headEnd == nil {
            headEnd = received.indices.dropLast(3).first { received[$0..<$0 + 4].elementsEqual(end) }
            if headEnd == nil { try receive() }
        }
        let head = String(decoding: received.prefix(headEnd ?? 0), as: UTF8.self)
        received.removeFirst((headEnd ?? 0) + 4)
        var lines = head.components(separatedBy: "\r\n")
        let statusLine = lines.removeFirst().split(separator: " ")
        guard statusLine.count >= 2, let status = Int(statusLine[1]) else { throw Failed(what: "status line") }
        var fields = HTTPFields()
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
            fields.append(HTTPField(name: name, value: parts[1].trimmingCharacters(in: .whitespaces)))
        }
        let length = fields[.contentLength].flatMap { Int($0) } ?? 0
        while received.count < length { try receive() }
        received.removeFirst(length)
        return Response(status: status, fields: fields)
    }

    private func receive() throws {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { throw Failed(what: "the server closed the connection") }
        received += chunk.prefix(count)
    }
}
