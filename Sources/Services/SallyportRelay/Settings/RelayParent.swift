public import Hostnames

/// A proxy that gets the requests of a relay.
public struct RelayParent: Hashable, Sendable {
    /// What it speaks.
    public enum Kind: String, Hashable, Sendable {
        /// HTTP, with TLS if the scheme of ``RelayParent/origin`` is https.
        case http
        /// SOCKS version 5 (RFC 1928), with a user name and a password if it wants them (RFC 1929).
        case socks5
    }

    /// What it speaks.
    public let kind: Kind
    /// Where it is, as rules of a profile name it: a SOCKS proxy is `http://host:port` there, because it is reached in clear text.
    public let origin: Origin
    /// The user that the account for a SOCKS proxy must have; `nil` if any will do.
    public let user: String?

    /// A proxy that speaks HTTP.
    public init(_ origin: Origin) { (kind, self.origin, user) = (.http, origin, nil) }

    init(socks5 origin: Origin, user: String? = nil) { (kind, self.origin, self.user) = (.socks5, origin, user) }

    /// Reads `HOST:PORT`, `http://HOST:PORT`, `https://HOST:PORT`, `socks5://HOST:PORT`, or `socks5://USER@HOST:PORT`.
    ///
    /// `socks5h` is the same as `socks5`: the proxy resolves names, and the relay never does it for a SOCKS proxy.
    public init(parsing text: String) throws(RelayParentError) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = parts.count == 2 ? parts[0].lowercased() : "http"
        let rest = parts[parts.count - 1]
        let isSOCKS = scheme == "socks5" || scheme == "socks5h"
        var (authority, user): (Substring, String?) = (rest, nil)
        if isSOCKS, let at = rest.lastIndex(of: "@") {
            guard !rest[..<at].contains(":") else { throw .password }
            user = rest[..<at].removingPercentEncoding
            authority = rest[rest.index(after: at)...]
            guard let user, (1...SOCKSLimits.nameBytes).contains(user.utf8.count) else { throw .user }
        }
        let origin: Origin
        do throws(OriginError) {
            origin = try Origin(parsing: "\(isSOCKS ? "http" : scheme)://\(authority)")
        } catch {
            // The problem would be shown with its offset in another text.
            if case .unsupportedScheme = error { throw .scheme }
            // A password may stand before the host.
            if case .userinfo = error { throw .password }
            throw .origin(error)
        }
        // The default ports of the schemes are rarely those of a proxy.
        guard authority.hasSuffix(":\(origin.port)") else { throw .port }
        (kind, self.origin, self.user) = (isSOCKS ? .socks5 : .http, origin, user)
    }
}

extension RelayParent: CustomStringConvertible {
    /// `http://proxy.example:8080`, or `socks5://proxy.example:1080`. The user is left out.
    public var description: String {
        kind == .http ? "\(origin)" : "socks5://\(origin.host):\(origin.port)"
    }
}

/// Why a text names no proxy. The text is not repeated, because it may hold a password.
public enum RelayParentError: Error, Equatable, Sendable {
    /// Another scheme than http, https, socks5 and socks5h.
    case scheme
    /// A password stands before the host, or a user before the host of an HTTP proxy.
    case password
    /// The user name is empty, too long, or not in UTF-8.
    case user
    /// The port is left out.
    case port
    /// The rest is not host and port.
    case origin(OriginError)
}

extension RelayParentError: CustomStringConvertible {
    /// One line: the problem and the remedy.
    public var description: String {
        switch self {
        case .scheme:
            "the scheme is not http, https or socks5: write HOST:PORT, https://HOST:PORT or socks5://HOST:PORT"
        case .password:
            "an account stands before '@': remove it, because every user of the machine can read arguments, and keep the password "
                + "with 'sallyport credentials add' or in a profile"
        case .user:
            "the user before '@' is empty, longer than \(SOCKSLimits.nameBytes) bytes, or not in UTF-8: correct it"
        case .port: "the port is absent: write it, such as proxy.example:8080"
        case .origin(let error): "\(error)"
        }
    }
}

extension Substring {
    /// Without the escapes of RFC 3986; `nil` if one is malformed or the bytes are not UTF-8.
    fileprivate var removingPercentEncoding: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = Array(rest.prefix(2))
            guard digits.count == 2, let high = Self.value(digits[0]), let low = Self.value(digits[1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        Character(Unicode.Scalar(digit)).hexDigitValue.map(UInt8.init)
    }
}
