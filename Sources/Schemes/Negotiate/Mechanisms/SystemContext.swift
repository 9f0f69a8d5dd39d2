/// The keys of a log-on with the system's library (GSS-API). Its functions compute, and never wait.
public protocol SystemKeys: AnyObject, Sendable {
    /// The code over `bytes` (`GSS_GetMIC`).
    func integrityCode(over bytes: [UInt8]) throws -> [UInt8]
    /// Checks the peer's code over `bytes` (`GSS_VerifyMIC`).
    ///
    /// - Throws: any error, if the code is wrong.
    func verify(integrityCode: [UInt8], over bytes: [UInt8]) throws
}

/// A security context of the system's library (GSS-API), for example of Kerberos, whose first message has been made.
///
/// The first message may wait for other computers. What is declared here computes, and never waits. One negotiation owns the
/// context and calls it in order.
public protocol SystemContext: SystemKeys {
    /// Takes the peer's message.
    ///
    /// - Returns: the next message; `nil` if none is due.
    /// - Throws: any error, if the message is refused.
    func step(_ message: [UInt8]) throws -> [UInt8]?
    /// Whether no further message is due.
    var isComplete: Bool { get }
    /// Whether the peer has proven itself.
    var isMutual: Bool { get }
}

/// What the system's library is asked for.
public struct SystemMessageNeed: Equatable, Sendable {
    /// The service, such as `HTTP/wiki.acme.example`.
    public let service: String
    /// The client's principal, such as `jdoe@ACME.EXAMPLE`; `nil` for that of the ticket cache.
    public let principal: String?
    /// Where the client's ticket comes from.
    public let tickets: TicketSource
    /// Whether the service may act for the user at other services, if the KDC marks it `ok-as-delegate`.
    public let delegates: Bool
    /// The application data of the channel binding, such as `tls-server-end-point:` and a hash; `nil` without TLS.
    public let channelBinding: [UInt8]?

    package init(
        service: String,
        principal: String? = nil,
        tickets: TicketSource = .cache,
        delegates: Bool = false,
        channelBinding: [UInt8]?
    ) {
        (self.service, self.principal, self.channelBinding) = (service, principal, channelBinding)
        (self.tickets, self.delegates) = (tickets, delegates)
    }

    /// The host of the service.
    public var host: String { String(service.drop { $0 != "/" }.dropFirst()) }
}

/// The first message of the system's library, and the context that goes on with it.
public struct SystemMessage: Sendable {
    /// The message.
    public let bytes: [UInt8]
    /// What checks the answer of the service.
    public let context: any SystemContext

    /// Hands a message and its context over to one negotiation.
    public init(_ bytes: [UInt8], context: any SystemContext) {
        self.bytes = bytes
        self.context = context
    }
}

/// Where first messages of the system's library come from.
public protocol SystemMessageSource: Sendable {
    /// Makes a first message. It may wait, and stops when its task is cancelled. A password that a KDC refused is not sent again, also
    /// after a cancelled call.
    ///
    /// - Throws: ``RefusedPassword`` if the KDC refused the password; any other error, if there is no ticket. Its description is one
    ///   line without a secret, and reaches the user.
    func message(for need: SystemMessageNeed) async throws -> SystemMessage
}
