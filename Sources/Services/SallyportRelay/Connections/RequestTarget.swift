internal import HTTP1
internal import Hostnames
internal import NIOCore

/// The target of a request to a proxy (RFC 9112 section 3.2); ranges count from the head's first byte.
struct RequestTarget {
    /// Host and port.
    let authority: Range<Int>
    /// Path and query; empty or without its slash if the client left them out, and for CONNECT.
    let path: Range<Int>

    /// `http://host/path`, or `host:port` for CONNECT. A user name before the host is refused.
    init(of head: RequestHead, in bytes: Span<UInt8>) throws(TargetDefect) {
        let target = head.target
        if head.method == .connect {
            // The port is required (RFC 9110 section 9.3.6).
            var colon = target.upperBound
            while colon > target.lowerBound, bytes[colon &- 1].isDigit { colon &-= 1 }
            guard colon < target.upperBound, colon &- 1 > target.lowerBound, bytes[colon &- 1] == UInt8(ascii: ":")
            else {
                throw .form
            }
            authority = target
            path = target.upperBound..<target.upperBound
            return
        }
        let start = target.lowerBound &+ 7
        guard target.count > 7, bytes.equals("http://", in: target.lowerBound..<start) else { throw .form }
        var end = start
        while end < target.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end &+= 1 }
        guard end > start else { throw .form }
        authority = start..<end
        path = end..<target.upperBound
    }

    /// The target of a request to a server: a path, `*` for OPTIONS, or the absolute form, which servers take, too (RFC 9112 section
    /// 3.2.2).
    ///
    /// - Parameter isSecure: whether the client speaks TLS.
    init(ofServer head: RequestHead, isSecure: Bool, in bytes: Span<UInt8>) throws(TargetDefect) {
        let target = head.target
        guard head.method != .connect else { throw .notAPath }
        let none = target.lowerBound..<target.lowerBound
        if bytes[target.lowerBound] == UInt8(ascii: "/") {
            (authority, path) = (head.fields.host ?? none, target)
        } else if bytes.equals("*", in: target), bytes.equals("options", in: head.methodRange) {
            (authority, path) = (head.fields.host ?? none, target.upperBound..<target.upperBound)
        } else {
            let length = isSecure ? 8 : 7
            guard target.count > length, bytes.begins(isSecure ? "https://" : "http://", in: target) else {
                throw .notAPath
            }
            let start = target.lowerBound &+ length
            var end = start
            while end < target.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") {
                end &+= 1
            }
            guard end > start else { throw .notAPath }
            (authority, path) = (start..<end, end..<target.upperBound)
        }
    }
}

/// The server of a request, kept from request to request because clients often ask the same one.
final class Destination {
    /// As the client writes it.
    private let authority: [UInt8]
    private let isTunnel: Bool
    let origin: Origin
    /// The beginning of the target for a parent: the origin, or all of a CONNECT's. The handler of challenges writes it in the same form.
    let targetText: String
    /// The end of the request line, and the Host field.
    let hostLine: [UInt8]
    /// Whether no parent is asked.
    let isDirect: Bool
    /// Whether the relay does not serve it.
    let isForbidden: Bool
    /// Whether the relay itself speaks TLS to the server, and the client does not speak to it through a tunnel.
    let isSecured: Bool
    /// Whether a listener stands for the server.
    let isMapped: Bool
    /// The last pool that has noted the server as open.
    var openNote: UpstreamPool.OpenNote?

    init(
        _ authority: Range<Int>,
        isTunnel: Bool,
        in bytes: Span<UInt8>,
        _ rules: DestinationRules
    ) throws(TargetDefect) {
        self.authority = authority.map { bytes[$0] }
        self.isTunnel = isTunnel
        do throws(OriginError) {
            let text = String(decoding: self.authority, as: UTF8.self)
            origin = try Origin(scheme: isTunnel ? .https : .http, authority: text)
        } catch {
            switch error {
            case .userinfo: throw .user
            case .host(let problem): throw .host(problem)
            case .invalidPort: throw .port
            case .missingScheme, .unsupportedScheme, .unexpectedPath: throw .form
            }
        }
        isForbidden = rules.forbids(origin)
        (isSecured, isMapped) = (false, false)
        isDirect = rules.isDirect(origin)
        let port = ":\(origin.port)"
        targetText = isTunnel ? "\(origin.host)\(port)" : "\(origin)"
        let host = isTunnel || origin.port != origin.scheme.defaultPort ? "\(origin.host)\(port)" : "\(origin.host)"
        hostLine = Self.hostLine(host)
    }

    private static func hostLine(_ host: String) -> [UInt8] { Array(" HTTP/1.1\r\nHost: \(host)\r\n".utf8) }

    /// The server of a listener, which the settings name, so no rule refuses it.
    ///
    /// - Parameter isDirect: whether no parent is asked.
    init(mappedTo origin: Origin, isDirect: Bool) {
        (authority, isTunnel, isForbidden, isMapped) = ([], false, false, true)
        self.origin = origin
        self.isDirect = isDirect
        isSecured = origin.scheme == .https
        targetText = "\(origin)"
        let host = origin.port == origin.scheme.defaultPort ? "\(origin.host)" : "\(origin.host):\(origin.port)"
        hostLine = Self.hostLine(host)
    }

    func isAt(_ authority: Range<Int>, isTunnel: Bool, in bytes: Span<UInt8>) -> Bool {
        guard isTunnel == self.isTunnel, authority.count == self.authority.count else { return false }
        for (offset, byte) in self.authority.enumerated() where bytes[authority.lowerBound + offset] != byte {
            return false
        }
        return true
    }
}
