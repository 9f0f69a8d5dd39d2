public import NTLM
internal import WireFormat

/// Why an exchange ends without the party being satisfied.
public enum ExchangeFailure: Error, Equatable, Sendable {
    /// The party refused what we answered: the user name or the password is wrong.
    case refused
    /// The party does not, or no longer, offer the scheme of this exchange.
    case notOffered
    /// A challenge lacks a parameter that its scheme demands.
    case missingParameter(name: String)
    /// The challenge of this scheme has another form than its scheme demands.
    case malformedChallenge
    /// The line with the challenge of this scheme cannot be read.
    case unreadable(UnreadableChallenge)
    /// A parameter that the answer must repeat holds U+FFFD: its bytes were lost before they came here.
    case lostBytes(parameter: String)
    /// The request target holds a byte that no field may hold.
    case targetNotRepresentable
    /// The party demands an algorithm, quality of protection or form that is not supported.
    case unsupported(parameter: String, value: String)
    /// The user name cannot be written in this scheme, for example because it contains a colon (Basic).
    case userNotRepresentable
    /// The password cannot be written in this scheme, for example because it contains a control character.
    case passwordNotRepresentable
    /// The account has no domain, and the server wants one: write it `DOMAIN\user`.
    case domainRequired(target: String)
    /// The NTLM handshake stopped.
    case handshake(HandshakeError)
    /// The party could not prove that it knows the password as well (`rspauth`, RFC 7616 section 3.5).
    case partyNotAuthenticated
    /// The field that may hold the party's proof cannot be read to its end.
    case unreadableProof(ChallengeError)
    /// After an answer, the party asks again with a weaker or another value of this parameter.
    case weakened(parameter: String)
    /// The party called two nonces in a row stale: the password was neither proven nor refused.
    case staleAgain
    /// The party closes the connection that the next message of the handshake belongs to.
    case connectionCloses
    /// The party offers the scheme anew where the next message of the handshake was due.
    case handshakeLost
    /// The exchange had ended, or the response belongs to another step.
    case outOfOrder
}

extension ExchangeFailure: CustomStringConvertible {
    /// One line: what happened and what to do. What a server wrote is quoted and escaped, so that it stays on the line.
    public var description: String {
        switch self {
        case .refused: "the credentials were refused: check user name and password"
        case .notOffered: "the scheme is not offered"
        case .missingParameter(let name): "the challenge lacks its '\(name)' parameter: the server must send it"
        case .malformedChallenge: "the challenge does not have the form of its scheme: the server must mend it"
        case .unreadable(let line): "\(line)"
        case .lostBytes(let parameter):
            "the challenge's '\(parameter)' holds U+FFFD in place of bytes that are not UTF-8: "
                + "hand over the field with its original bytes"
        case .targetNotRepresentable:
            "the request target holds a control character: percent-encode it before the request is sent"
        case .unsupported(let parameter, let value): "\(parameter) \(VisibleText.quoted(value)) is not supported"
        case .userNotRepresentable: "the user name cannot be written in this scheme"
        case .passwordNotRepresentable: "the password cannot be written in this scheme"
        case .domainRequired(let target):
            "the server wants an account of a domain (it names \(VisibleText.quoted(target))): write the user as DOMAIN\\user"
        case .handshake(let error): "NTLM: \(error)"
        case .partyNotAuthenticated: "the server's proof of knowing the password is wrong"
        case .unreadableProof:
            "Authentication-Info or Proxy-Authentication-Info cannot be read to its end and may hold a wrong proof: "
                + "the server must mend it"
        case .weakened(let parameter):
            "the second challenge has a weaker or another '\(parameter)' than the first: this may be an attack"
        case .staleAgain:
            "the server called two nonces in a row stale: check that the servers behind one name share their nonce secret"
        case .connectionCloses:
            "the server closes the connection of its CHALLENGE, to which the answer belongs: "
                + "the server or a proxy on the way must keep it open"
        case .handshakeLost:
            "the server started over in the middle of the handshake: the connection was not kept, or it refuses the scheme; "
                + "send the whole handshake on one connection"
        case .outOfOrder: "this exchange has ended, or the response belongs to another request: begin a new exchange"
        }
    }
}
