/// What is known of the connection on which a response came.
public struct ConnectionTraits: Equatable, Sendable {
    /// The TLS state of the connection to the party.
    public enum Security: Equatable, Sendable {
        /// No TLS. To an `https` origin this counts as TLS without a known leaf certificate, so that a mistake of the caller does
        /// not drop a channel binding.
        case none
        /// TLS with this leaf certificate in DER, for channel binding.
        case leaf([UInt8])
        /// TLS, and the leaf certificate is not known.
        case unknownLeaf
    }

    /// A number for the connection that no other open connection has; `nil` if connections are not known.
    public var id: UInt64?
    /// Whether the next request can be sent on this connection, with no other request in between. False for HTTP/2 and
    /// HTTP/3, and where a pool chooses connections.
    public var canPin: Bool
    /// The TLS state; `nil` for what the request says.
    public var security: Security?
    /// Whether the connection before this one was lost in mid-handshake. Anyone on the path may have closed it, so the party has declined
    /// nothing.
    package var followsLostHandshake = false

    /// Describes a connection; the defaults suit HTTP/1.1.
    public init(id: UInt64? = nil, canPin: Bool = true, security: Security? = nil) {
        self.id = id
        self.canPin = canPin
        self.security = security
    }

    /// The connection after one that was lost in mid-handshake, for the challenge that was being answered.
    package static func afterLostHandshake(id: UInt64) -> ConnectionTraits {
        var traits = ConnectionTraits(id: id)
        traits.followsLostHandshake = true
        return traits
    }

    /// A connection of HTTP/1.1 of which nothing else is known.
    public static let http1 = ConnectionTraits()

    /// A connection of HTTP/2 or HTTP/3, or of a pool that does not say which connection it uses.
    public static let shared = ConnectionTraits(canPin: false)
}
