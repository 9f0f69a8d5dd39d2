/// One certain host, in its one canonical form: a DNS name, an IPv4 address or an IPv6 address.
///
/// Two hostnames are equal exactly when they are the same host: a name is lower-case ASCII without the trailing dot, an
/// address is a number. A text that two readers might take for different hosts does not become a `Hostname`; see
/// ``init(parsing:)``.
public struct Hostname: Hashable, Sendable {
    /// What kinds of host there are.
    package enum Form: Hashable, Sendable {
        /// Lower-case labels with dots between them, no trailing dot.
        case name([UInt8])
        case ipv4(IPv4Address)
        case ipv6(IPv6Address)
    }

    package let form: Form

    package init(form: Form) {
        self.form = form
    }

    /// The longest name, in bytes and without the trailing dot (RFC 1035 2.3.4, less its length bytes).
    package static let maximumNameLength = 253

    /// The longest label of a name, in bytes (RFC 1035 2.3.4).
    package static let maximumLabelLength = 63

    /// Whether the host is an IPv4 or IPv6 address rather than a DNS name.
    public var isAddress: Bool {
        switch form {
        case .name: false
        case .ipv4, .ipv6: true
        }
    }
}

extension Hostname: CustomStringConvertible {
    /// The canonical text as it stands in a URL: an IPv6 address in brackets, as RFC 5952 writes it.
    ///
    /// Parsing this text yields an equal `Hostname`.
    public var description: String {
        switch form {
        case .name(let bytes): String(decoding: bytes, as: UTF8.self)
        case .ipv4(let address): address.description
        case .ipv6(let address): "[\(address)]"
        }
    }
}
