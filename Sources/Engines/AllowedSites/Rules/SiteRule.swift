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

extension SiteRule {
    /// Whether the rule is about https on port 443 and every path, as most rules are.
    var isPlain: Bool { !isException && schemes == .https && port == .schemeDefault && path == nil }
}

extension SiteRule: CustomStringConvertible {
    /// The rule in its canonical form; parsing it yields an equal rule.
    public var description: String {
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the canonical form: who writes millions of rules has no time for the strings of each.
    package func append(to text: inout [UInt8]) {
        if isException { text.append(UInt8(ascii: "!")) }
        switch schemes {
        case .https: if isException { text.append(contentsOf: "https://".utf8) }
        case .http: text.append(contentsOf: "http://".utf8)
        case .both: if !isException { text.append(contentsOf: "*://".utf8) }
        }
        appendHost(to: &text)
        switch port {
        case .schemeDefault: break
        case .number(let number): text.append(contentsOf: ":\(number)".utf8)
        case .any: if !isException { text.append(contentsOf: ":*".utf8) }
        }
        if let path { text.append(contentsOf: path.text.utf8) }
    }

    package var hostText: String {
        var text: [UInt8] = []
        appendHost(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private func appendHost(to text: inout [UInt8]) {
        switch place {
        case .name(let name): text.append(contentsOf: name)
        case .below(let name):
            text.append(contentsOf: "*.".utf8)
            text.append(contentsOf: name)
        case .ipv4(let network):
            let address = IPv4Address(rawValue: network.address)
            text.append(contentsOf: "\(address)\(lengthText(network.length, longest: 32))".utf8)
        case .ipv6(let network):
            let address = IPv6Address(rawValue: network.address)
            text.append(contentsOf: "[\(address)]\(lengthText(network.length, longest: 128))".utf8)
        }
    }

    private func lengthText(_ length: Int, longest: Int) -> String {
        // Behind an address without a port, a segment of digits would be read as the length.
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let segment = (path?.text ?? "").utf8.dropFirst().prefix { $0 != UInt8(ascii: "/") }
        let isNeeded = !segment.isEmpty && segment.allSatisfy(digits.contains)
        return length < longest || (isNeeded && isPortUnsaid) ? "/\(length)" : ""
    }

    /// Whether the canonical form has no port.
    private var isPortUnsaid: Bool {
        switch port {
        case .schemeDefault: true
        case .number: false
        case .any: isException
        }
    }
}
