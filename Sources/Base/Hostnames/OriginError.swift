/// Why a text is not an origin.
///
/// Every `offset` counts UTF-8 bytes from the start of the text that was handed over.
public enum OriginError: Error, Equatable, Sendable {
    /// The text does not begin with a scheme and `://`.
    case missingScheme(offset: Int)
    /// The scheme is neither `http` nor `https`.
    case unsupportedScheme(offset: Int)
    /// A user stands before the host; the `@` is at `offset`.
    case userinfo(offset: Int)
    /// The host is not one certain host.
    case host(HostnameError)
    /// The port is not a decimal number from 1 to 65535 without leading zeros.
    case invalidPort(offset: Int)
    /// Something follows the port where an origin ends.
    case unexpectedPath(offset: Int)
}

extension OriginError: CustomStringConvertible {
    /// One line: where it is, what is wrong and what to do.
    public var description: String {
        switch self {
        case .missingScheme(let offset): "offset \(offset): there is no scheme: begin with https:// or http://"
        case .unsupportedScheme(let offset): "offset \(offset): the scheme is neither https nor http"
        case .userinfo(let offset): "offset \(offset): a user stands before the host: remove everything up to '@'"
        case .host(let error): error.description
        case .invalidPort(let offset): "offset \(offset): the port must be a number from 1 to 65535"
        case .unexpectedPath(let offset): "offset \(offset): an origin ends after the port: remove the rest"
        }
    }
}
