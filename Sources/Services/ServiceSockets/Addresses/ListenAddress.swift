internal import HTTP1
public import Hostnames
internal import SallyportNIO

/// An address and a port of this machine on which a service listens.
public struct ListenAddress: Hashable, Sendable {
    /// 127.0.0.1:3128, which only programs of this machine reach.
    public static let standard = ListenAddress(
        host: Hostname(form: .ipv4(IPv4Address(rawValue: 0x7F00_0001))),
        port: 3128
    )

    /// 127.0.0.1, with a port that the system chooses.
    package static let anyPort = ListenAddress(host: standard.host, port: 0)

    /// An IPv4 or IPv6 address.
    public let host: Hostname
    /// The port; 0 lets the system choose one.
    public let port: UInt16
    /// Whether clients speak TLS to it.
    public let isSecure: Bool

    package init(host: Hostname, port: UInt16, isSecure: Bool = false) {
        (self.host, self.port, self.isSecure) = (host, port, isSecure)
    }

    /// Reads `127.0.0.1:3128` or `[::1]:3128`, and `https://127.0.0.1:3128` for an address with TLS.
    public init(parsing text: String) throws(ListenAddressError) {
        let isSecure = text.hasPrefix(Self.secureBeginning)
        let text = isSecure ? String(text.dropFirst(Self.secureBeginning.count)) : text
        guard let colon = text.lastIndex(of: ":") else { throw .noPort(text) }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit), let port = UInt16(digits) else { throw .noPort(text) }
        guard let host = try? Hostname(parsing: String(text[..<colon])), host.isAddress else { throw .noAddress(text) }
        self.init(host: host, port: port, isSecure: isSecure)
    }

    /// Reads `3128` as that port of 127.0.0.1, and everything else as ``init(parsing:)`` does.
    public init(abbreviated text: String) throws(ListenAddressError) {
        let isPort = !text.isEmpty && text.utf8.allSatisfy(\.isDigit)
        try self.init(parsing: isPort ? "\(Self.standard.host):\(text)" : text)
    }

    private static let secureBeginning = "https://"

    /// Whether only programs of this machine reach the address.
    public var isLoopback: Bool { host.isLoopback }
}

extension ListenAddress: CustomStringConvertible {
    /// The text that ``init(parsing:)`` reads.
    public var description: String { "\(isSecure ? Self.secureBeginning : "")\(host):\(port)" }
}

/// Why a text is not an address to listen on.
public enum ListenAddressError: Error, Equatable, Sendable {
    /// The text does not end with a colon and a port.
    case noPort(String)
    /// The part before the port is not an IP address.
    case noAddress(String)
}

extension ListenAddressError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .noPort(let text): "\(text.debugDescription): the port is missing or not a number: write ADDRESS:PORT"
        case .noAddress(let text):
            "\(text.debugDescription): this is not an IP address: write one, such as 127.0.0.1:3128 or [::1]:3128"
        }
    }
}
