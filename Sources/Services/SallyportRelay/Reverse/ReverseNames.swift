internal import Hostnames
internal import NIOCore
internal import SallyportNIO

/// The names by which clients may call a listener that stands for a server.
///
/// Without this rule a web page could lead its own name to the address of the listener (DNS rebinding), and read the server with the
/// user's account.
struct ReverseNames {
    private let scheme: Scheme
    private let names: [Hostname]
    /// The base of the listener for a client that names none: one of HTTP/1.0.
    let ownBase: Origin?

    /// - Parameter local: the address to which the client has connected.
    init(_ mapping: RelayMapping, at local: SocketAddress?) {
        scheme = mapping.listener.isSecure ? .https : .http
        let address = local.flatMap { Hostname($0) }
        ownBase = address.map { [scheme] in
            Origin(scheme: scheme, host: $0, port: UInt16(truncatingIfNeeded: local?.port ?? 0))
        }
        var names = [address, mapping.origin.host].compactMap(\.self) + mapping.names
        if mapping.listener.isLoopback, let localhost = try? Hostname(parsing: "localhost") { names.append(localhost) }
        self.names = names
    }

    /// The listener as the client calls it, with the client's port, which differs from the listener's behind a forwarded port;
    /// `nil` for a name that is not the listener's.
    func base(_ authority: String) -> Origin? {
        guard let base = try? Origin(scheme: scheme, authority: authority), names.contains(base.host) else {
            return nil
        }
        return base
    }
}
