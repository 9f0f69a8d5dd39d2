internal import Hostnames

/// Why the relay cannot serve the target of a request (RFC 9112 section 3.2).
enum TargetDefect: Error, Equatable {
    /// Neither the absolute form nor that of CONNECT.
    case form
    /// A target for a proxy, at a listener that is a server.
    case notAPath
    /// A user name before the host (RFC 9110 section 4.2.4).
    case user
    case host(HostnameError)
    case port
}

extension TargetDefect: CustomStringConvertible {
    /// One line: the problem and the remedy.
    var description: String {
        switch self {
        case .form:
            "the target is neither http://host/path nor, for CONNECT, host:port: use the relay as an HTTP proxy"
        case .notAPath:
            "the target is not a path: use this address as a server, and the relay's other one as a proxy"
        case .user:
            "the target has a user name before the host, which other programs on the way would see: let the client send "
                + "Authorization instead"
        case .host(let error): "the target: \(error.problem)"
        case .port: "the port in the target is not a number from 1 to 65535: correct the client"
        }
    }
}
