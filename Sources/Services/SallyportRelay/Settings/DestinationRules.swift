public import AllowedSites
package import Hostnames

/// What a relay reaches without a parent, and what it does not serve.
///
/// Loopback, link-local, multicast and reserved addresses are not served, because a request from a web page could reach programs of
/// this machine or of the proxy's there. For names this is checked after they are resolved, where the relay resolves them itself.
public struct DestinationRules: Sendable {
    /// The servers that are reached without a parent, such as `SiteDialect.noProxy` reads them. A rule with a path has no effect.
    public var direct: SiteTrie?
    /// The special addresses, and names of loopback, that are served all the same, and asked as proxies if a script names them.
    public var allowed: SiteTrie?

    /// All through the parents, and no special addresses.
    public init() {}

    func isDirect(_ origin: Origin) -> Bool { direct?.verdict(for: origin, path: "/").isAllowed ?? false }

    /// Whether the relay does not serve `origin`, and asks no proxy there that only a script names. A name may still lead to an address that is
    /// not served.
    package func forbids(_ origin: Origin) -> Bool {
        SpecialHosts.contains(origin.host) && allowed?.verdict(for: origin, path: "/").isAllowed != true
    }
}

/// Hosts that a program must ask for by name before it gets them.
enum SpecialHosts {
    static func contains(_ host: Hostname) -> Bool {
        switch host.form {
        case .name(let name): contains(name)
        case .ipv4(let address): contains(address.rawValue)
        case .ipv6(let address): contains(address.rawValue)
        }
    }

    /// RFC 6761 section 6.3, and the names that the hosts files of Debian, Red Hat and BSD give to loopback and to multicast on
    /// the link.
    private static func contains(_ name: [UInt8]) -> Bool {
        if name.reversed().starts(with: ".localhost".utf8.reversed()) { return true }
        return Self.names.contains { name.elementsEqual($0.utf8) }
    }

    private static let names = [
        "localhost", "localhost.localdomain", "localhost4", "localhost4.localdomain4", "localhost6",
        "localhost6.localdomain6", "ip6-localhost", "ip6-loopback", "ip6-localnet", "ip6-mcastprefix", "ip6-allnodes",
        "ip6-allrouters", "ip6-allhosts",
    ]

    /// RFC 6890: this network, loopback, link-local, multicast and reserved.
    private static func contains(_ address: UInt32) -> Bool {
        address >> 24 == 0 || address >> 24 == 127 || address >> 16 == 0xA9FE || address >> 28 >= 0xE
    }

    private static func contains(_ address: UInt128) -> Bool {
        // RFC 4291: link-local, multicast.
        if address >> 118 == 0xFE80 >> 6 || address >> 120 == 0xFF { return true }
        let low = UInt32(truncatingIfNeeded: address)
        // ::, ::1 and addresses of IPv4: compatible, mapped, translated (RFC 2765, RFC 6052), and of 6to4 (RFC 3056).
        switch address >> 32 {
        case 0, 0xFFFF, 0xFFFF_0000, 0x0064_FF9B_0000_0000_0000_0000: return contains(low)
        default: break
        }
        // A network's own translation (RFC 8215), in the form that ends with the IPv4 address.
        if address >> 80 == 0x0064_FF9B_0001, low != 0 { return contains(low) }
        return address >> 112 == 0x2002 && contains(UInt32(truncatingIfNeeded: address >> 80))
    }
}
