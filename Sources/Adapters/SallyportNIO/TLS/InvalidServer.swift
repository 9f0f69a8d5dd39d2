internal import WireFormat

/// Why the certificates of a server are not valid for its host.
public enum InvalidServer: Equatable, Sendable {
    /// The server's own certificate cannot be read.
    case unreadable
    /// The server sent more certificates than are searched for a path.
    case tooManyCertificates(count: Int, limit: Int)
    /// The certificates form more paths than are searched.
    case tooManyPaths(limit: Int)
    /// The roots of the system cannot be read, and no other root vouches for the server.
    case noSystemRoots(reason: String)
    /// The system's own trust refuses the server, and no other root vouches for it; in the system's words. Apple's systems alone have such a trust.
    case refusedBySystem(reason: String)
    /// No path leads from the server's certificate to a root; the name of its issuer.
    case unknownAuthority(issuer: String)
    /// The certificate of this subject has expired.
    case expired(subject: String)
    /// The time of the certificate of this subject has not begun.
    case notYetValid(subject: String)
    /// The server's certificate does not have the name or address of the host.
    case otherName
    /// The certificate of this subject is not for servers.
    case otherUse(subject: String)
    /// The key in the certificate of this subject is weaker than ``TLSSettings/keyFloor``.
    case weakKey(subject: String, key: String)
    /// The certificate of this subject is signed with SHA-1: somebody may have made it to fit the signature of another one.
    case weakSignature(subject: String)
    /// A list of ``TLSSettings/revocationLists`` has the certificate of this subject, revoked at `date` in seconds since 1970-01-01T00:00:00Z.
    case revoked(subject: String, date: Int64, RevocationReason)
    /// The list of this authority in ``TLSSettings/revocationLists`` cannot be used, so nothing is known about the certificates below it.
    case unusableRevocationList(issuer: String, RevocationListDefect)
    /// Another rule of RFC 5280 is broken.
    case brokenRule(String)
}

extension InvalidServer {
    /// Whether a trusted key makes up for this: not for certificates that cannot be read, are or may be revoked, or have a weak key, and not for
    /// what the system refuses, because it may be a revocation.
    package var canBeTrusted: Bool {
        switch self {
        case .unreadable, .tooManyCertificates, .weakKey, .revoked, .unusableRevocationList, .refusedBySystem: false
        case .tooManyPaths, .noSystemRoots, .unknownAuthority, .expired, .notYetValid, .otherName, .otherUse,
            .weakSignature, .brokenRule:
            true
        }
    }
}

extension InvalidServer: CustomStringConvertible {
    /// The problem and the remedy, without the host.
    public var description: String {
        switch self {
        case .unreadable: "the server's certificate cannot be read: correct it on the server"
        case .tooManyCertificates(let count, let limit):
            "the server sent \(count) certificates, and \(limit) are read: send only the chain of one certificate"
        case .tooManyPaths(let limit):
            "the server's certificates form more paths than are searched (\(limit) issuers): send only the chain of one "
                + "certificate"
        case .noSystemRoots(let reason): reason
        case .refusedBySystem(let reason):
            "this system does not trust the server's certificate: \(VisibleText.quoted(reason)): correct it on the server, or the trust settings "
                + "of this machine"
        case .unknownAuthority(let issuer):
            "no path leads to a trusted root, and the issuer is \(VisibleText.quoted(issuer)): add the root of this "
                + "authority to the roots, or let the server send the certificates between"
        case .expired(let subject):
            "the certificate of \(VisibleText.quoted(subject)) has expired: renew it, or correct this machine's clock"
        case .notYetValid(let subject):
            "the certificate of \(VisibleText.quoted(subject)) is not valid yet: correct this machine's clock, or the "
                + "certificate"
        case .otherName:
            "the server's certificate is for other hosts: use one of its names, or give the server a certificate with "
                + "this subjectAltName"
        case .otherUse(let subject):
            "the certificate of \(VisibleText.quoted(subject)) is not for servers: give the server one whose "
                + "extendedKeyUsage has serverAuth"
        case .weakKey(let subject, let key):
            "the certificate of \(VisibleText.quoted(subject)) has a weak key (\(key)): give it one with a larger key"
        case .weakSignature(let subject):
            "the certificate of \(VisibleText.quoted(subject)) is signed with SHA-1, which other clients refuse, too: give the server one "
                + "that is signed with SHA-256"
        case .revoked(let subject, let date, let reason):
            "the certificate of \(VisibleText.quoted(subject)) was revoked at \(Timestamp.text(unixSeconds: date)) (\(reason)): the server needs a new "
                + "one, so tell its operator"
        case .unusableRevocationList(let issuer, let defect):
            "the revocation list of \(VisibleText.quoted(issuer)) \(defect)"
        case .brokenRule(let rule):
            "the certificates break a rule: \(VisibleText.quoted(rule)): correct them on the server"
        }
    }
}
