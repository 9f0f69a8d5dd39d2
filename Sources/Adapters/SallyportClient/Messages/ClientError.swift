public import HTTPAuthentication
public import Hostnames
internal import RequestFlow
public import Sallyport
internal import SallyportNIO

/// Why a request has no response.
public enum ClientError: Error, Equatable, Sendable {
    /// The request cannot be sent unchanged.
    case badRequest(reason: String)
    /// No response came before the deadline.
    case deadlineExceeded
    /// No connection to the server or proxy.
    case notConnected(Origin, reason: String)
    /// The connection was closed before the response was complete.
    case connectionLost(Origin)
    /// The server or proxy asked for a client certificate in the handshake, and closed the connection before it answered anything. TLS 1.3
    /// shows a refused certificate like this where the alert is lost, because a reset drops what was not read.
    case closedAfterIdentity(Origin, IdentityDecision)
    /// The server or proxy closed the connection on a message of a handshake.
    case handshakeLost(Origin, Refusal, by: ChallengedParty)
    /// The server sent what is not HTTP/1.1.
    case malformedResponse(Origin, reason: String)
    /// The server changes to another protocol.
    case upgraded(Origin)
    /// The refused response was longer than is read, but the next message belongs on its connection.
    case challengeTooLong(Origin, limit: Int)
    /// The body of the response is longer than the caller accepts.
    case bodyTooLong(limit: Int)
    /// The length that was announced differs from that of the body.
    case wrongBodyLength(announced: Int64)
    /// A scheme needs what only an application can fetch.
    case needsSupply(SystemMessageNeed)
    /// The server or proxy did not prove itself as the account demands, so its response may be that of an impostor.
    case notProven(Origin, Refusal)
    /// The proxy refused a tunnel with this reason phrase, in printable ASCII, and `offered` these challenges; they hold no credential.
    case tunnelRefused(status: Int, reason: String, RequestOutcome, offered: OfferedChallenges)
    /// A redirect that cannot be followed.
    case badRedirect(reason: String)
    /// The client has been shut down.
    case isShutDown
}

extension ClientError {
    /// No connection, because of `error` of a bootstrap.
    package static func notConnected(_ origin: Origin, _ error: any Error) -> ClientError {
        .notConnected(origin, reason: "\(ConnectReason.text(error)): check host, port and firewall")
    }

    /// What a connection to `origin` that broke before the end of a response means.
    static func lost(_ origin: Origin, _ error: any Error) -> any Error {
        switch error {
        case is ClientError, is TLSError, is CancellationError: error
        case let defect as ResponseDefect: ClientError.malformedResponse(origin, reason: defect.problem)
        default: ClientError.connectionLost(origin)
        }
    }

    /// Refuses a response whose party is not proven.
    static func check(_ outcome: RequestOutcome, _ status: Int, of origin: Origin) throws(ClientError) {
        guard outcome.isUnproven(status: status), case .withheld(let refusal, by: _) = outcome else { return }
        throw .notProven(origin, refusal)
    }
}

extension ClientError: CustomStringConvertible {
    /// One line: where, why, and what to do.
    public var description: String {
        switch self {
        case .badRequest(let reason): "the request cannot be sent: \(reason)"
        case .deadlineExceeded: "no response before the deadline: set a later one, or check the server"
        case .notConnected(let origin, let reason): "\(origin): no connection: \(reason)"
        case .connectionLost(let origin): "\(origin): the connection was closed before the response ended: try again"
        case .closedAfterIdentity(let origin, .present(let identity)):
            "\(origin): the server closed the connection without an answer: \(Self.doubt(of: identity)): check it, or try again"
        case .closedAfterIdentity(let origin, .withhold(let refusal)):
            "\(origin): the server closed the connection without an answer after it had asked for a client certificate, and none was "
                + "sent: \(refusal)"
        case .handshakeLost(let origin, let refusal, by: let party):
            "\(party == .proxy ? "the proxy " : "")\(origin): \(refusal)"
        case .malformedResponse(let origin, let reason):
            "\(origin): the response is not HTTP/1.1 (\(reason)): ask the operator of the server"
        case .upgraded(let origin): "\(origin): the server changes the protocol, which this client does not do"
        case .challengeTooLong(let origin, let limit):
            "\(origin): \(FlowFailure.refusalTooLong(beyond: limit))"
        case .bodyTooLong(let limit): "the body is longer than \(limit) bytes: raise the limit, or read it in parts"
        case .wrongBodyLength(let announced):
            "the body does not have the announced \(announced) bytes: correct its length"
        case .needsSupply(let need): "the scheme needs a ticket for \(need.service), which nothing here can fetch"
        case .notProven(let origin, let refusal): "\(origin): the response is not used: \(refusal)"
        case .tunnelRefused(let status, let reason, .withheld(let refusal, by: _), _):
            "the proxy refused the tunnel with \(ProxyTunnelError.text(status, reason)): \(refusal)"
        case .tunnelRefused(let status, let reason, _, _):
            "the proxy refused the tunnel with \(ProxyTunnelError.text(status, reason)): check the server's name, or ask who runs the proxy"
        case .badRedirect(let reason): "the redirect is not followed: \(reason)"
        case .isShutDown: "the client is shut down: make another one"
        }
    }
}
