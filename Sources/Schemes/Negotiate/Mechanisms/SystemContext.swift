/// A security context of the system's library (GSS-API), for example of Kerberos, whose first message has been made.
///
/// The first message may wait for other computers. What is declared here computes, and never waits. One negotiation owns the
/// context and calls it in order.
public protocol SystemContext: AnyObject, Sendable {
    /// Takes the peer's message.
    ///
    /// - Returns: the next message; `nil` if none is due.
    /// - Throws: any error, if the message is refused.
    func step(_ message: [UInt8]) throws -> [UInt8]?
    /// Whether no further message is due.
    var isComplete: Bool { get }
    /// Whether the peer has proven itself.
    var isMutual: Bool { get }
    /// The code over `bytes` (`GSS_GetMIC`).
    func integrityCode(over bytes: [UInt8]) throws -> [UInt8]
    /// Checks the peer's code over `bytes` (`GSS_VerifyMIC`).
    ///
    /// - Throws: any error, if the code is wrong.
    func verify(integrityCode: [UInt8], over bytes: [UInt8]) throws
}

/// What the system's library is asked for.
public struct SystemMessageNeed: Equatable, Sendable {
    /// The service, such as `HTTP/wiki.acme.example`.
    public let service: String
    /// The client's principal, such as `jdoe@ACME.EXAMPLE`; `nil` for that of the ticket cache.
    public let principal: String?
    /// The application data of the channel binding, such as `tls-server-end-point:` and a hash; `nil` without TLS.
    public let channelBinding: [UInt8]?

    package init(service: String, principal: String? = nil, channelBinding: [UInt8]?) {
        (self.service, self.principal, self.channelBinding) = (service, principal, channelBinding)
    }

    /// The host of the service.
    public var host: String { String(service.drop { $0 != "/" }.dropFirst()) }
}

/// The first message of the system's library, and the context that goes on with it.
public struct SystemMessage: Sendable {
    /// The message.
    public let bytes: [UInt8]
    /// The context.
    public let context: any SystemContext

    /// Hands a message and its context over to one negotiation.
    public init(_ bytes: [UInt8], context: any SystemContext) {
        self.bytes = bytes
        self.context = context
    }
}

/// Where first messages of the system's library come from.
public protocol SystemMessageSource: Sendable {
    /// Makes a first message. It may wait, and stops when its task is cancelled.
    ///
    /// - Throws: any error, if there is no ticket.
    func message(for need: SystemMessageNeed) async throws -> SystemMessage
}
