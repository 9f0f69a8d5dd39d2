public import HTTPAuthentication
public import HTTPTypes
public import NTLM
public import Negotiate
internal import Secrets

/// What a server does with a request.
public enum ClientStep: Sendable {
    /// Serve it.
    case accept(ClientAcceptance)
    /// Answer with this status instead.
    case refuse(ClientRefusal)
    /// Ask the directory, and give its reply to ``ClientConnection/replied(_:to:)``.
    case ask(ClientQuestion)
}

/// A request whose client is known.
public struct ClientAcceptance: Sendable {
    /// Who sends the request.
    public let client: AuthenticatedClientName
    /// Fields to add to the response: the server's own proof.
    public let fields: HTTPFields
}

/// A client whose answer was right.
public struct AuthenticatedClientName: Hashable, Sendable {
    /// The account.
    public let name: ClientName
    /// How the client has proven it.
    public let scheme: AuthenticationScheme
    /// What Negotiate or NTLM has carried; `nil` for other schemes. With Kerberos the domain of the name is the realm, which may be
    /// any that the server's own realm trusts.
    public var mechanism: Mechanism?
    /// Whether the answer is bound to the TLS connection.
    public let isBoundToChannel: Bool
}

extension AuthenticatedClientName: CustomStringConvertible {
    /// `ACME\jdoe (ntlm)`, or `ACME.EXAMPLE\jdoe (negotiate, Kerberos)`.
    public var description: String {
        guard scheme == .negotiate, let mechanism else { return "\(name) (\(scheme))" }
        return "\(name) (\(scheme), \(mechanism))"
    }
}

/// A request that is not served.
public struct ClientRefusal: Sendable {
    /// Why.
    public enum Reason: Equatable, Sendable {
        /// The request has no answer, or begins a handshake.
        case unanswered
        /// The answer cannot be read, or its scheme is not offered.
        case unreadable
        /// The account is unknown, or the password is wrong.
        case wrong(ClientName)
        /// The answer is right, but its nonce is too old or its count was used.
        case stale(ClientName)
        /// Too many wrong passwords for this account or from this address.
        case tooManyGuesses(ClientName)
        /// The NTLM message is refused.
        case ntlm(ServerHandshakeError)
        /// The token of Negotiate is refused.
        case negotiation(NegotiationError)
        /// The ticket of Kerberos is refused, for this reason.
        case ticket(String)
        /// The directory, or the system's Kerberos, gave no reply.
        case noReply
    }

    /// 400, 401, 407, 429 or 503.
    public let status: Int
    /// The fields of the response.
    public let fields: HTTPFields
    /// Why; for logs, not for the client.
    public let reason: Reason

    /// Whether the response is a message of a handshake, so that the next request must come on this connection.
    package var continuesHandshake: Bool {
        fields.contains { $0.value.hasPrefix("NTLM ") || $0.value.hasPrefix("Negotiate ") }
    }
}

extension ClientRefusal.Reason: CustomStringConvertible {
    /// One line, without a secret.
    public var description: String {
        switch self {
        case .unanswered: "the request has no answer"
        case .unreadable: "the answer cannot be read, or its scheme is not offered"
        case .wrong(let name): "wrong user or password: '\(name)'"
        case .stale(let name): "the nonce is too old, or its count was used before: '\(name)'"
        case .tooManyGuesses(let name): "too many wrong passwords for '\(name)' or from its address"
        case .ntlm(let error): "NTLM: \(error)"
        case .negotiation(let error): "Negotiate: \(error)"
        case .ticket(let reason): "Kerberos: \(reason)"
        case .noReply: "the directory gave no reply: see its error"
        }
    }
}
