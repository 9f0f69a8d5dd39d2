public import NTLM

/// Why an exchange ends without the party being satisfied.
public enum ExchangeFailure: Error, Equatable, Sendable {
    /// The party refused what we answered: the user name or the password is wrong.
    case refused
    /// The party does not, or no longer, offer the scheme of this exchange.
    case notOffered
    /// A challenge lacks a parameter that its scheme demands.
    case missingParameter(name: String)
    /// A challenge of this scheme cannot be read.
    case malformedChallenge
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
    /// The exchange had ended, or the response belongs to another step.
    case outOfOrder
}

extension ExchangeFailure: CustomStringConvertible {
    /// One line: what happened and what to do. What a server wrote is quoted and escaped, so that it stays on the line.
    public var description: String {
        switch self {
        case .refused: "the credentials were refused: check user name and password"
        case .notOffered: "the scheme is not offered"
        case .missingParameter(let name): "the challenge lacks its '\(name)' parameter"
        case .malformedChallenge: "the challenge cannot be read"
        case .unsupported(let parameter, let value): "\(parameter) \(value.debugDescription) is not supported"
        case .userNotRepresentable: "the user name cannot be written in this scheme"
        case .passwordNotRepresentable: "the password cannot be written in this scheme"
        case .domainRequired(let target):
            "the server wants an account of a domain (it names \(target.debugDescription)): write the user as DOMAIN\\user"
        case .handshake(let error): "NTLM: \(error)"
        case .partyNotAuthenticated: "the server's proof of knowing the password is wrong"
        case .outOfOrder: "a response came that belongs to no step of this exchange"
        }
    }
}
