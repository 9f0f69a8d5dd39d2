internal import Hostnames

/// One rule of a site list: the requests that may carry credentials, or with `!` may not.
///
/// ```text
/// [!][scheme://]host[:port][/path]
/// ```
///
/// | part | forms | if absent | if absent in an exception |
/// |---|---|---|---|
/// | scheme | `https`, `http`, `*` for both | `https` | both |
/// | host | `host.example`: that host; `*.host.example`: one or more labels to its left, never the host itself; an address `192.0.2.1` or `[2001:db8::1]`; a network `10.0.0.0/8` or `[2001:db8::]/32` | an error | an error |
/// | port | `:8443`, `:*` for any | the scheme's default | any |
/// | path | a prefix of whole segments | every path | every path |
///
/// An uncertain path (``PathDoubt``) never widens a rule.
public struct SiteRule: Hashable, Sendable {
    /// Whether the rule begins with `!` and therefore denies.
    public let isException: Bool
    package let schemes: Schemes
    package let place: Place
    package let port: Port
    /// `nil` means every path.
    package let path: PathPrefix?

    /// The schemes of a rule.
    package enum Schemes: Hashable, Sendable {
        case https
        case http
        case both
    }

    /// The hosts of a rule.
    package enum Place: Hashable, Sendable {
        case name([UInt8])
        /// All names with one or more labels to the left of this name.
        case below([UInt8])
        case ipv4(IPNetwork<UInt32>)
        case ipv6(IPNetwork<UInt128>)
    }

    /// The ports of a rule.
    package enum Port: Hashable, Sendable {
        case schemeDefault
        case number(UInt16)
        case any
    }

    /// The longest rule, in bytes.
    public static let maximumLength = 4096

    /// Makes a rule from canonical parts.
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
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the canonical form without making a string, for commands that write millions of rules.
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
        // After an address without a port, a path segment of digits would be read as the prefix length.
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
