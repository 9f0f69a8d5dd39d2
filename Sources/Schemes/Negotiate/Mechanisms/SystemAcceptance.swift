/// A client's first message of the system's library, for a server that checks it.
public struct SystemClaim: Sendable {
    /// What goes to the client.
    public let message: [UInt8]
    /// The application data of the server's channel binding; `nil` if none is checked.
    public let channelBinding: [UInt8]?
    /// Whether a client without a channel binding is refused.
    public let demandsBinding: Bool

    package init(message: [UInt8], channelBinding: [UInt8]? = nil, demandsBinding: Bool = false) {
        (self.message, self.channelBinding, self.demandsBinding) = (message, channelBinding, demandsBinding)
    }
}

/// A client whose message was right.
public struct SystemAcceptance: Sendable {
    /// The client's principal, such as `jdoe@ACME.EXAMPLE`.
    public let client: String
    /// The message for the client, which proves the server; empty if the client does not ask for it.
    public let message: [UInt8]
    /// Whether the log-on is bound to the TLS connection.
    public let isBoundToChannel: Bool
    /// The keys of the log-on.
    public let keys: any SystemKeys

    /// Hands a log-on over to one negotiation.
    public init(client: String, message: [UInt8], isBoundToChannel: Bool, keys: any SystemKeys) {
        self.client = client
        self.message = message
        self.isBoundToChannel = isBoundToChannel
        self.keys = keys
    }
}

/// Why a client's message is refused.
public struct SystemRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// One line, without a secret.
    public let description: String

    /// Refuses a message for a reason of one line.
    public init(_ description: String) { self.description = description }
}

/// Checks first messages of the system's library for a server.
public protocol SystemMessageVerifier: Sendable {
    /// Checks a message. It may wait, and stops when its task is cancelled.
    ///
    /// - Throws: ``SystemRefusal`` if the client's message is wrong; any other error if it cannot be checked.
    func acceptance(of claim: SystemClaim) async throws -> SystemAcceptance
}
