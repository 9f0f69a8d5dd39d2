/// Why a text is not an origin.
///
/// Each `offset` counts UTF-8 bytes from the start of the parsed text.
public enum OriginError: Error, Equatable, Sendable {
    /// The text does not begin with a scheme and `://`.
    case missingScheme(offset: Int)
    /// The scheme is not `http` or `https`.
    case unsupportedScheme(offset: Int)
    /// A user name before the host; the `@` is at `offset`.
    case userinfo(offset: Int)
    /// The host is malformed or ambiguous.
    case host(HostnameError)
    /// The port is not a decimal number from 1 to 65535.
    case invalidPort(offset: Int)
    /// Text follows the port, where an origin ends.
    case unexpectedPath(offset: Int)
}

extension OriginError: CustomStringConvertible {
    /// One line: place, problem and remedy.
    public var description: String {
        switch self {
        case .missingScheme(let offset): "offset \(offset): the scheme is missing: begin with https:// or http://"
        case .unsupportedScheme(let offset): "offset \(offset): the scheme is not supported: use https or http"
        case .userinfo(let offset): "offset \(offset): a user name is not allowed: remove everything up to '@'"
        case .host(let error): error.description
        case .invalidPort(let offset): "offset \(offset): the port must be a number from 1 to 65535"
        case .unexpectedPath(let offset): "offset \(offset): an origin ends after the port: remove the rest"
        }
    }
}
