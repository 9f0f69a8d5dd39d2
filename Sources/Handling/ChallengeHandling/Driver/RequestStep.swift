public import HTTPAuthentication
public import HTTPTypes
public import Negotiate

/// The next step of a request.
public enum RequestStep: Sendable {
    /// Send the request.
    case send(RequestSending)
    /// The last response is the result. After ``wait(_:)`` that is the one before the wait, so keep its head and body.
    case deliver(RequestOutcome)
    /// A scheme needs something that takes waiting. Fetch it, and pass it to ``RequestAuthentication/supplied(_:)``.
    case needs(SystemMessageNeed)
    /// Another request tries the same password now, or a message of Kerberos is on its way. Wait for the turn, then ask again: call
    /// ``RequestAuthentication/resume()``.
    case wait(AttemptTurn)
}

/// How to send a request.
public struct RequestSending: Equatable, Sendable {
    /// What to send of the body.
    public enum Body: Equatable, Sendable {
        /// All of it.
        case whole
        /// Nothing, with `Content-Length: 0`: this message of a handshake is not the last, and the server reads no body.
        case empty
    }

    /// The connection for a request.
    public enum Connection: Equatable, Sendable {
        /// Any connection of the pool key. Prefer the one of the last response: a handshake cannot begin at all servers on
        /// a connection that is authenticated already.
        case any
        /// A new one, because the last one closes.
        case new
        /// The one of the last response, with no other request in between. Read that response to its end first.
        case same
    }

    /// `nil` if the request is sent as it is.
    let added: AddedFields?
    /// The answer for the origin, if one is due.
    public var authorization: HTTPField? { added?.authorization }
    /// The proof for the origin that the client has the key of the token in ``authorization`` (RFC 9449); `nil` if that is bound to no key.
    package var proof: ProofField? { added?.proof }
    /// The answer for the proxy, if one is due.
    public var proxyAuthorization: HTTPField? { added?.proxyAuthorization }
    /// The token of another account that goes along with the answers; `nil` without one.
    package var placed: PlacedToken? { added?.placed }
    /// All fields of this send; fields of the same names must be replaced.
    public var fields: [HTTPField] {
        var fields: [HTTPField] = []
        forEachField { fields.append($0) }
        return fields
    }

    /// All fields of this send as they go out by HTTP/1.1, if that is ready: the line of an answer that is repeated.
    package var readyLine: [UInt8]? { added?.line }

    /// Calls `body` with all fields of this send.
    package func forEachField(_ body: (HTTPField) -> Void) {
        guard let added else { return }
        if let field = added.proxyAuthorization { body(field) }
        if let field = added.authorization { body(field) }
        if let proof = added.proof { body(proof.field) }
        if let placed = added.placed { for field in placed.fields { body(field) } }
    }

    /// Whether the send has fields or a parameter besides the answers, which take the place of the request's own.
    package var addsToken: Bool {
        guard let added else { return false }
        if case .some = added.placed { return true }
        if case .some = added.proof { return true }
        return false
    }
    /// Whether a party gets an answer.
    package var hasAnswer: Bool { added?.hasAnswer ?? false }
    /// What to send of the body.
    public let body: Body
    /// The connection to use.
    public package(set) var connection: Connection
    /// Whether the body, which can be sent once, is held for a second, or until `100 Continue`: the party may ask for authentication first.
    public let holdsBody: Bool
    /// Whether to send `Expect: 100-continue`. Not to a party that has refused it with 417; its challenge may come before the body all the same.
    public package(set) var expectsContinue: Bool

    /// The target to send in place of `target`, which it is if no token goes into the query.
    ///
    /// - Parameter target: the target of the request, in origin form or absolute form.
    public func target(_ target: String) -> String { placed.map { $0.target(target) } ?? target }

    /// A request that has gone out as it is.
    package static let plain = RequestSending(
        added: nil,
        body: .whole,
        connection: .any,
        holdsBody: false,
        expectsContinue: false
    )
}

/// How the authentication of a request ended.
public enum RequestOutcome: Equatable, Sendable {
    /// No party challenged.
    case notChallenged
    /// Every party that challenged has accepted its answer, or answers went out in advance and no party challenged.
    case accepted
    /// This party gets no answer; deliver its response.
    case withheld(Refusal, by: ChallengedParty)
}

extension RequestOutcome {
    /// Whether the response with `status` may come from an impostor: the party took the answer, and its own proof is wrong, or missing
    /// where the account demands one. Deliver nothing of such a response.
    public func isUnproven(status: Int) -> Bool {
        guard case .withheld(.exchangeFailed, by: let party) = self else { return false }
        // A challenge may end an exchange for many reasons; another response ends it only by its proof.
        return status != party.status
    }
}
