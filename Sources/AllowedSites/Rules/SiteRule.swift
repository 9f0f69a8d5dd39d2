internal import Hostnames

/// One line of a site list: which requests may carry credentials, or, with `!`, may not.
///
/// ```text
/// [!][scheme://]host[:port][/path]
/// ```
///
/// - *scheme*: `https`, `http`, or `*` for both; when absent, `https`, and for an exception both.
/// - *host*: `host.example` for that host alone; `*.host.example` for one or more labels to its left and never for itself;
///   an address, `192.0.2.1` or `[2001:db8::1]`; a network, `10.0.0.0/8` or `[2001:db8::]/32`.
/// - *port*: `:8443`, or `:*` for any; when absent, the scheme's own, and for an exception any.
/// - *path*: a prefix of whole segments. What makes a path uncertain (``PathDoubt``) never widens it.
public struct SiteRule: Hashable, Sendable {
    /// Whether the rule begins with `!`: it denies.
    public let isException: Bool
    package let schemes: Schemes
    package let place: Place
    package let port: Port
    /// `nil` where every path is meant.
    package let path: PathPrefix?

    /// The schemes a rule speaks of.
    package enum Schemes: Hashable, Sendable {
        case https
        case http
        case both
    }

    /// The hosts a rule speaks of; rules with equal places are compared by their paths.
    package enum Place: Hashable, Sendable {
        case name([UInt8])
        /// Every name with one or more labels to the left of this one.
        case below([UInt8])
        case ipv4(IPNetwork<UInt32>)
        case ipv6(IPNetwork<UInt128>)
    }

    /// The ports a rule speaks of.
    package enum Port: Hashable, Sendable {
        case schemeDefault
        case number(UInt16)
        case any
    }

    /// The longest rule, in bytes.
    public static let maximumLength = 4096

    /// Puts a rule together of parts that are canonical.
    package init(isException: Bool, schemes: Schemes, place: Place, port: Port, path: PathPrefix?) {
        self.isException = isException
        self.schemes = schemes
        self.place = place
        self.port = port
        self.path = path
    }
}

extension SiteRule: CustomStringConvertible {
    /// The rule in its canonical form; parsing it yields an equal rule.
    public var description: String {
        let scheme =
            switch schemes {
            case .https: isException ? "https://" : ""
            case .http: "http://"
            case .both: isException ? "" : "*://"
            }
        return "\(isException ? "!" : "")\(scheme)\(hostText)\(portText)\(path?.text ?? "")"
    }

    private var portText: String {
        switch port {
        case .schemeDefault: ""
        case .number(let number): ":\(number)"
        case .any: isException ? "" : ":*"
        }
    }

    package var hostText: String {
        switch place {
        case .name(let name): String(decoding: name, as: UTF8.self)
        case .below(let name): "*." + String(decoding: name, as: UTF8.self)
        case .ipv4(let network):
            "\(IPv4Address(rawValue: network.address))\(lengthText(network.length, longest: 32))"
        case .ipv6(let network):
            "[\(IPv6Address(rawValue: network.address))]\(lengthText(network.length, longest: 128))"
        }
    }

    private func lengthText(_ length: Int, longest: Int) -> String {
        // Behind an address without a port, a segment of digits would be read as the length.
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let segment = (path?.text ?? "").utf8.dropFirst().prefix { $0 != UInt8(ascii: "/") }
        let isNeeded = !segment.isEmpty && segment.allSatisfy(digits.contains)
        return length < longest || (isNeeded && portText.isEmpty) ? "/\(length)" : ""
    }
}
