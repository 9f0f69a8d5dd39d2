/// How the end of a body is found (RFC 9112 section 6.3).
package enum BodyFraming: Equatable, Sendable {
    case length(Int)
    case chunked
    /// The end of the connection; only in responses.
    case untilClose

    package static let none = BodyFraming.length(0)
}
