internal import Hostnames

/// Where a guess comes from.
///
/// | address | ``host`` | ``network`` |
/// |---|---|---|
/// | `192.0.2.7` | the same | the same |
/// | `::ffff:192.0.2.7`, `64:ff9b::192.0.2.7` | `192.0.2.7` | `192.0.2.7` |
/// | `2001:db8::7`, `fe80::7%eth0` | without its zone | the first 64 bits |
/// | another text, such as `uid 1000` | the same | the same |
package struct GuessPlace: Hashable, Sendable {
    /// What a log-on makes known for an account.
    let host: String
    /// What wrong passwords are counted by: a network, because a host of IPv6 has all addresses of its first 64 bits.
    package let network: String

    package init(_ address: String) {
        // A zone names the interface of this machine, which does not tell two hosts apart that count alike.
        let bytes = Array(address.prefix { $0 != "%" }.utf8)
        guard let parsed = try? IPv6Address(parsing: bytes.span, in: 0..<bytes.count) else {
            (host, network) = (address, address)
            return
        }
        if let carried = parsed.carriedIPv4 {
            (host, network) = (carried.description, carried.description)
        } else {
            let prefix = (parsed.rawValue >> Self.hostBits) << Self.hostBits
            (host, network) = (parsed.description, IPv6Address(rawValue: prefix).description)
        }
    }

    /// RFC 4291 section 2.5.4: the bits that a host chooses itself.
    private static let hostBits: UInt128 = 64
}

extension IPv6Address {
    /// The IPv4 address of a peer that comes over IPv4, or through a translator that writes its address into the last 32 bits: mapped
    /// (RFC 4291 section 2.5.5.2), translated (RFC 2765), and the well-known prefix (RFC 6052 section 2.1). All IPv4 hosts would be one
    /// network otherwise.
    fileprivate var carriedIPv4: IPv4Address? {
        switch rawValue >> 32 {
        case 0xFFFF, 0xFFFF_0000, 0x0064_FF9B_0000_0000_0000_0000:
            IPv4Address(rawValue: UInt32(truncatingIfNeeded: rawValue))
        default: nil
        }
    }
}
