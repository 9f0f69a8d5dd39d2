/// Origin and path of an absolute `http` or `https` URL.
///
/// Query and fragment are dropped, because rules do not depend on them. The path is kept as written, with escapes and
/// dot segments, because only the server defines their meaning.
public struct URLLocation: Hashable, Sendable {
    /// Scheme, host and port.
    public let origin: Origin
    /// The raw path without query and fragment; `/` if the URL has no path.
    public let path: String

    /// The longest accepted URL in bytes.
    public static let maximumLength = 65_536

    /// Makes a location of its parts.
    public init(origin: Origin, path: String) {
        self.origin = origin
        self.path = path.isEmpty ? "/" : path
    }

    /// Parses an absolute URL such as `https://host.example:8443/path?query`.
    ///
    /// Nothing is repaired. White space, controls, a user name and a `\` before the query are errors, because URL
    /// parsers disagree about the host of such a text.
    ///
    /// - Parameters:
    ///   - url: at most ``maximumLength`` bytes.
    ///   - hosts: how its host is read.
    /// - Complexity: O(*n*) in the length of `url`.
    /// - Throws: ``URLLocationError``, whose offsets count UTF-8 bytes of `url`.
    public init(parsing url: some StringProtocol, hosts: HostReader = .ascii) throws(URLLocationError) {
        let url = String(url)
        try self.init(parsing: url.utf8.span, hosts: hosts)
    }

    /// Parses the bytes of an absolute URL.
    package init(parsing bytes: Span<UInt8>, hosts: HostReader = .ascii) throws(URLLocationError) {
        let parts = try URLParts(of: bytes)
        origin = try parts.origin(in: bytes, hosts: hosts)
        let range = try parts.path(in: bytes)
        path = range.count < 2 ? "/" : text(of: bytes.extracting(range))
    }
}

extension URLLocation: CustomStringConvertible {
    /// The origin and the raw path.
    public var description: String { "\(origin)\(path)" }
}

/// Why a text is not an accepted URL.
public enum URLLocationError: Error, Equatable, Sendable {
    /// The origin is malformed or ambiguous.
    case origin(OriginError)
    /// White space, a control byte, or a `\` before the query.
    case forbiddenByte(UInt8, offset: Int)
    /// The text has more bytes than ``URLLocation/maximumLength``.
    case tooLong(length: Int)
}

extension URLLocationError: CustomStringConvertible {
    /// One line: place, problem and remedy.
    public var description: String {
        switch self {
        case .origin(let error): error.description
        case .forbiddenByte(let byte, let offset):
            "offset \(offset): a URL cannot contain byte 0x\(String(byte, radix: 16)): percent-encode it"
        case .tooLong(let length):
            "the URL has \(length) bytes: shorten it to at most \(URLLocation.maximumLength)"
        }
    }
}
