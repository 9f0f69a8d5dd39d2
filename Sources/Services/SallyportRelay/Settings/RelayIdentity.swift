public import ClientAuthentication
public import Sallyport
internal import ServiceSockets

/// Accounts for some clients of a relay, which the others do not use.
public struct RelayIdentity: Sendable {
    /// Which clients.
    public enum Client: Sendable {
        /// Those that have authenticated themselves as this account; case does not matter.
        case account(ClientName)
        /// Programs of this machine that run as this user, as the system says about their sockets; on Linux, and for connections over
        /// loopback.
        case owner(UInt32)
        /// Those of this listener.
        case listener(ListenAddress)
    }

    /// Whose requests get the accounts. The account of a client decides first, then its owner, then its listener.
    public var clients: [Client]
    /// The accounts. A reload counts for the next request.
    ///
    /// A password that is missing here is not asked for: stores and terminals do not know whose it would be.
    public let current: CurrentHandler

    /// Accounts for some clients.
    public init(_ current: CurrentHandler, for clients: [Client]) { (self.current, self.clients) = (current, clients) }
}
