public import Hostnames

/// The URL of a token service, or of another one that gets what is not for everyone: https, or http on a loopback address.
///
/// RFC 6749 sections 3.1 and 3.2 demand TLS, because requests carry secrets. A loopback address is allowed for tests and for helpers of
/// the same machine.
public struct ServiceURL: Hashable, Sendable {
    /// Scheme, host and port.
    public let origin: Origin
    /// Path and query as they are sent.
    public let target: String
    /// The URL as it was written. Services compare redirects, resources and their own names with this, byte for byte.
    public let spelling: String

    /// Reads an absolute URL.
    ///
    /// - Throws: ``ServiceURLError``.
    public init(_ text: some StringProtocol) throws(ServiceURLError) {
        guard !text.utf8.contains(UInt8(ascii: "#")) else { throw .fragment }
        // Path and query go into the first line of a request as they are.
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .forbiddenCharacter }
        let location: URLLocation
        do throws(URLLocationError) {
            location = try URLLocation(parsing: text)
        } catch {
            throw .invalid(error)
        }
        guard location.origin.scheme == .https || location.origin.isLoopback else { throw .clearText(location.origin) }
        origin = location.origin
        target = Self.target(of: text)
        spelling = String(text)
    }

    /// A URL at the same origin with another path and query, which begin with a slash.
    func at(_ target: String) -> ServiceURL { ServiceURL(origin: origin, target: target) }

    private init(origin: Origin, target: String) {
        (self.origin, self.target, spelling) = (origin, target, "\(origin)\(target)")
    }

    /// The same on another port, and nothing else changed in its spelling.
    public func onPort(_ port: Int) throws(ServiceURLError) -> ServiceURL {
        let authority = authority
        // Without the port, but with the colons of an IPv6 address.
        let host = authority.replacing(/:[0-9]*$/, with: "")
        return try ServiceURL(
            "\(spelling[..<authority.startIndex])\(host):\(port)\(spelling[authority.endIndex...])"
        )
    }

    /// Whether the spelling names a port, also the usual one of its scheme.
    package var namesPort: Bool { authority.firstMatch(of: /:[0-9]+$/) != nil }

    private var authority: Substring {
        // The URL was read before, so an authority follows two slashes.
        let rest = spelling.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)[2]
        return rest.prefix { $0 != "/" && $0 != "?" }
    }

    /// Two spellings of one URL are equal.
    public static func == (one: ServiceURL, other: ServiceURL) -> Bool {
        one.origin == other.origin && one.target == other.target
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(target)
    }

    /// The path without the query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// What follows the authority; `/` if nothing does.
    private static func target(of text: some StringProtocol) -> String {
        var slashes = 0
        // The URL was read before, so two slashes precede its authority.
        guard
            let end = text.utf8.firstIndex(where: { byte in
                if byte == UInt8(ascii: "/") { slashes += 1 }
                return slashes == 3 || byte == UInt8(ascii: "?")
            })
        else { return "/" }
        let rest = String(text[end...])
        return rest.hasPrefix("/") ? rest : "/" + rest
    }
}

extension ServiceURL: CustomStringConvertible {
    /// Origin and path, without the query, which may hold a secret.
    public var description: String { "\(origin)\(path)" }
}

extension Origin {
    /// Whether the host is a loopback address or `localhost`.
    public var isLoopback: Bool {
        let text = host.description
        return text == "localhost" || text == "[::1]" || text == "::1" || text.hasPrefix("127.") && host.isAddress
    }
}

/// Why a text is not the URL of a service.
public enum ServiceURLError: Error, Equatable, Sendable {
    /// The text is no URL.
    case invalid(URLLocationError)
    /// The scheme is http, and the host is not a loopback address.
    case clearText(Origin)
    /// A fragment is not sent (RFC 6749 section 3.1).
    case fragment
    /// A blank, a control character or one beyond ASCII, which must be escaped.
    case forbiddenCharacter
}

extension ServiceURLError: CustomStringConvertible {
    /// One line: the problem and the remedy.
    public var description: String {
        switch self {
        case .invalid(let error): "\(error)"
        case .clearText(let origin):
            "\(origin): this URL needs https, because what is sent there is not for everyone on the path"
        case .fragment: "the URL of a service has no fragment: remove what follows '#'"
        case .forbiddenCharacter: "the URL has a blank, a control character or one beyond ASCII: escape it with '%'"
        }
    }
}
