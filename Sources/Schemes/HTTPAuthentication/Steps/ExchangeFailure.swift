public import NTLM
public import Negotiate
internal import WireFormat

/// Why an exchange ends without success.
public enum ExchangeFailure: Error, Equatable, Sendable {
    /// The party refused the answer: the user name or the password is wrong.
    case refused
    /// The party does not offer the scheme of this exchange, or offers it no longer.
    case notOffered
    /// A challenge lacks a parameter that its scheme requires.
    case missingParameter(name: String)
    /// The challenge does not have the form that its scheme requires.
    case malformedChallenge
    /// The line with the challenge of this scheme cannot be read.
    case unreadable(UnreadableChallenge)
    /// A parameter that the answer must repeat contains U+FFFD, because other code replaced its bytes before.
    case lostBytes(parameter: String)
    /// The request target contains a byte that a field cannot contain.
    case targetNotRepresentable
    /// The party requires an algorithm or quality of protection that is not supported.
    case unsupported(parameter: String, value: String)
    /// The Digest challenge has no `qop`, and ``DigestRules/allowsMissingQop`` is off.
    case qopMissing
    /// The algorithm of the Digest challenge is weaker than ``DigestRules/weakest``.
    case tooWeak(algorithm: String)
    /// The party demands an answer that covers the body (`qop=auth-int`), which the caller does not have.
    case bodyNotAvailable
    /// The nonce has been used ``DigestLimits/answersPerNonce`` times.
    case nonceExhausted
    /// The scheme cannot express the user name, for example a name with a colon in Basic.
    case userNotRepresentable
    /// The scheme cannot express the password or token, for example one with a control character.
    case passwordNotRepresentable
    /// The account has no domain and the server requires one; write it as `DOMAIN\user`.
    case domainRequired(target: String)
    /// The NTLM handshake stopped.
    case handshake(HandshakeError)
    /// The negotiation of a mechanism (SPNEGO) stopped, or its mechanism did.
    case negotiation(NegotiationError)
    /// The party's proof that it knows the password is wrong (`rspauth`, RFC 7616 section 3.5).
    case partyNotAuthenticated
    /// The party sent no proof, and ``DigestRules/demandsServerProof`` is on.
    case proofMissing
    /// The party's proof covers a body that the caller does not have, and ``DigestRules/demandsServerProof`` is on.
    case proofNotVerifiable
    /// The party's proof has another value of this parameter than the answer.
    case proofOfAnother(_ parameter: String)
    /// The field that may hold the party's proof cannot be read to its end.
    case unreadableProof(ChallengeError)
    /// The second challenge of the party has a weaker or another value of this parameter.
    case weakened(parameter: String)
    /// The party called two nonces in a row stale, so it neither accepted nor refused the password.
    case staleAgain
    /// The party closes the connection that the next message of the handshake belongs to.
    case connectionCloses
    /// The party offers the scheme anew where the next message of the handshake was due.
    case handshakeLost
    /// The connection was closed on a message of the handshake, in place of an answer.
    case closedInHandshake(AuthenticationScheme)
    /// The response came on another connection than the message that it answers.
    case connectionChanged
    /// What the scheme needs could not be fetched.
    case needNotMet
    /// What the scheme needs cannot be had, for this reason.
    case needFailed(String)
    /// The exchange had ended, or the response belongs to another step.
    case outOfOrder
}

extension ExchangeFailure: CustomStringConvertible {
    /// One line: the problem and the remedy. Text of a server is quoted and escaped, so that a line break in it cannot
    /// end the line.
    public var description: String {
        switch self {
        case .refused: "the credentials were refused: check user name and password, or the token"
        case .notOffered: "the scheme is not offered"
        case .missingParameter(let name): "the challenge lacks its '\(name)' parameter: the server must send it"
        case .malformedChallenge: "the challenge does not have the form of its scheme: correct it on the server"
        case .unreadable(let line): "\(line)"
        case .lostBytes(let parameter):
            "the challenge's '\(parameter)' contains U+FFFD in place of bytes that are not UTF-8: "
                + "pass the field with its original bytes"
        case .targetNotRepresentable:
            "the request target holds a control character: percent-encode it before the request is sent"
        case .unsupported(let parameter, let value): "\(parameter) \(VisibleText.quoted(value)) is not supported"
        case .qopMissing:
            "the challenge lacks 'qop', so that an answer could be replayed: enable qop=auth on the server, "
                + "or allow challenges without it for this account"
        case .tooWeak(let algorithm):
            "the server offers nothing stronger than algorithm \(algorithm): enable SHA-256 on the server, "
                + "or allow weaker algorithms for this account"
        case .bodyNotAvailable:
            "the server demands qop=auth-int, which covers the body: pass the bytes of the body with the request, "
                + "or offer qop=auth on the server"
        case .nonceExhausted:
            "the nonce has been used \(DigestLimits.answersPerNonce) times: send a request without an answer to get a new one"
        case .userNotRepresentable: "the user name cannot be written in this scheme"
        case .passwordNotRepresentable: "the password or token cannot be written in this scheme"
        case .domainRequired(let target):
            "the server wants an account of a domain (it names \(VisibleText.quoted(target))): write the user as DOMAIN\\user, "
                + "or as \\user if it has none"
        case .handshake(let error): "NTLM: \(error)"
        case .negotiation(let error): "Negotiate: \(error)"
        case .partyNotAuthenticated: "the server's proof of knowing the password is wrong"
        case .proofMissing:
            "the server sent no proof of knowing the password: enable Authentication-Info on the server, "
                + "or do not demand the proof for this account"
        case .proofNotVerifiable:
            "the server's proof covers the body of the response: pass the bytes of the body to check it"
        case .proofOfAnother(let parameter):
            "the server's proof has another '\(parameter)' than the answer: this may be a replayed response"
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
            "the server restarted the handshake: the connection was not kept, or the server refuses the scheme; "
                + "send the whole handshake on one connection"
        case .closedInHandshake(let scheme):
            "the connection was closed on a message of \(scheme), in place of an answer: see the log of the server or proxy, "
                + "or do not use \(scheme) there"
        case .connectionChanged:
            "the response came on another connection than the message before: send the whole handshake on one connection"
        case .needNotMet: "the ticket for this scheme could not be fetched: see the error of its source"
        case .needFailed(let reason): reason
        case .outOfOrder: "this exchange has ended, or the response belongs to another request: begin a new exchange"
        }
    }
}
