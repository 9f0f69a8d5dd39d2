package import Hostnames
package import NIOCore

extension Hostname {
    /// The address without its port; `nil` for one that no request could name, which is not served either.
    ///
    /// An IPv4 address in one of IPv6 is that of IPv4: a socket for both has such addresses (RFC 4291 section 2.5.5.2).
    package init?(_ address: SocketAddress) {
        guard var text = address.ipAddress else { return nil }
        let mapped = "::ffff:"
        if text.hasPrefix(mapped), text.contains(".") { text.removeFirst(mapped.count) }
        guard let host = try? Hostname(parsing: text.contains(":") ? "[\(text)]" : text) else { return nil }
        self = host
    }
    /// Whether this is an address that only programs of this machine have.
    package var isLoopback: Bool {
        switch form {
        case .ipv4(let address): address.rawValue >> 24 == 127
        case .ipv6(let address): address.rawValue == 1
        case .name: false
        }
    }
}
