/// A host in canonical form: a DNS name, an IPv4 address or an IPv6 address.
///
/// Two hostnames are equal exactly if they are the same host. A name is lower-case ASCII without the trailing dot; an
/// address is a number. Parsing refuses a text that programs may read as different hosts; see ``init(parsing:)``.
public struct Hostname: Hashable, Sendable {
    /// The kinds of hosts.
    package enum Form: Hashable, Sendable {
        /// Lower-case labels separated by dots, without a trailing dot.
        case name([UInt8])
        case ipv4(IPv4Address)
        case ipv6(IPv6Address)
    }

    package let form: Form

    package init(form: Form) {
        self.form = form
    }

    /// The longest name in bytes, without the trailing dot (RFC 1035 2.3.4: 255 octets on the wire).
    package static let maximumNameLength = 253

    /// The longest label of a name, in bytes (RFC 1035 2.3.4).
    package static let maximumLabelLength = 63

    /// Whether the host is an IPv4 or IPv6 address.
    public var isAddress: Bool {
        switch form {
        case .name: false
        case .ipv4, .ipv6: true
        }
    }
}

extension Hostname {
    /// The text as a resolver and a socket take it: an IPv6 address without its brackets.
    package var withoutBrackets: String {
        if case .ipv6(let address) = form { address.description } else { description }
    }
}

extension Hostname: CustomStringConvertible {
    /// The canonical text as in a URL; an IPv6 address is in brackets and in the form of RFC 5952.
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
