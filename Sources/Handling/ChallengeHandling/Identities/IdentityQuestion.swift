internal import Credentials
public import Hostnames
internal import SPKIPins

/// The question which of several identities a server gets.
public struct IdentityQuestion: Hashable, Sendable {
    /// The server.
    public let origin: Origin
    /// The identities that fit; at least two.
    public let candidates: [IdentityCandidate]
    /// The authorities that the server accepts (RFC 4514); empty for any, and if they are not known.
    public let authorities: [String]

    package init(origin: Origin, candidates: [IdentityCandidate], request: CertificateRequest) {
        self.origin = origin
        self.candidates = candidates
        authorities = request.authorities.prefix(Self.mostAuthorities).compactMap { DistinguishedName.text(ofName: $0) }
    }

    /// The most authorities that a question names. Servers with the roots of a whole system name hundreds.
    public static let mostAuthorities = 64
}

extension IdentityQuestion: CustomStringConvertible {
    /// One line: the server and the names of the identities.
    public var description: String {
        let names = candidates.map { "'\($0.identity.name)'" }.joined(separator: ", ")
        return "\(origin) asks for a client certificate, and several fit: \(names)"
    }
}

/// The reply to the question which identity a server gets.
public enum IdentityReply: Hashable, Sendable {
    /// This one of the candidates, by its name.
    case use(identity: String)
    /// None: go on without a certificate.
    case none
    /// End the request.
    case cancel
}

/// The identity that a host gets if several fit.
public struct ChosenIdentity: Hashable, Sendable {
    /// The exact host, on every port.
    public let host: Hostname
    /// The name of the identity; `nil` for none.
    public let identity: String?

    /// Chooses an identity for a host.
    public init(host: Hostname, identity: String?) {
        self.host = host
        self.identity = identity
    }
}
