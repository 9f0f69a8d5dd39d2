public import Hostnames
public import NIOCore
public import Sallyport

/// Why a connection has no TLS.
public enum TLSError: Error, Equatable, Sendable {
    /// A root of ``TLSSettings/roots`` cannot be read.
    case unreadableRoot(index: Int)
    /// The key of a root of ``TLSSettings/roots`` is too small to check a signature with: RSA below 2,048 bits.
    case weakRoot(index: Int, key: String)
    /// The certificates of an identity cannot be read, or its key belongs to another certificate.
    case unusableIdentity(String)
    /// A server asks for this identity, and the settings have no key for it.
    case missingKey(identity: String)
    /// ``TLSSettings/identityKeys`` and ``TLSSettings/signingKeys`` have a key for the same identity.
    case twoKeys(identity: String)
    /// The key of an identity made no signature; `reason` is its error.
    case cannotSign(identity: String, reason: String)
    /// An origin of plain http has no TLS.
    case plainOrigin(Origin)
    /// The certificates of the server are not valid for the host. `chain` is what it presented, in DER, its own certificate first.
    case serverNotValidated(Origin, InvalidServer, chain: [[UInt8]])
    /// The certificates are valid, and the pins of the profile reject them.
    case serverRejected(Origin, Refusal)
    /// Several identities fit what the server asks for, and the user has not said which. No byte of a request was sent.
    case identityUndecided(IdentityQuestion)
    /// The server ended the handshake because of our certificate, or because it got none.
    case identityNotAccepted(Origin, IdentityDecision, alert: String)
    /// The handshake failed for another reason.
    case handshakeFailed(Origin, reason: String)
    /// The handshake took longer than ``TLSSettings/handshakeLimit``.
    case handshakeTimedOut(Origin, limit: TimeAmount)
}

extension TLSError: CustomStringConvertible {
    /// One line: where, why, and what to do.
    public var description: String {
        switch self {
        case .unreadableRoot(let index): "roots[\(index)] is not a certificate in DER: convert or remove it"
        case .weakRoot(let index, let key):
            "roots[\(index)] has a weak key (\(key)): use a root with a larger key, or remove it"
        case .unusableIdentity(let name):
            "identity '\(name)': the certificates cannot be read, or the key is not that of the first one: give the "
                + "matching pair"
        case .missingKey(let name):
            "identity '\(name)' has no private key: add it to identityKeys or signingKeys under this name, or to the ring"
        case .twoKeys(let name): "identity '\(name)' has a key in identityKeys and in signingKeys: remove one"
        case .cannotSign(let name, let reason): "identity '\(name)' cannot sign: \(reason)"
        case .plainOrigin(let origin): "\(origin) has no TLS: use https"
        case .serverNotValidated(let origin, let reason, _): "\(origin): \(reason)"
        case .serverRejected(let origin, let refusal): "\(origin): \(refusal)"
        case .identityUndecided(let question):
            "\(question): choose one in the profile, or give the authenticator a source that asks"
        case .identityNotAccepted(let origin, .present(let identity), let alert):
            "\(origin): the server refused the certificate of \(identity) (\(alert)): use one of an authority that it trusts"
        case .identityNotAccepted(let origin, .withhold(let refusal), let alert):
            "\(origin): the server requires a client certificate (\(alert)), and none was sent: \(refusal)"
        case .handshakeFailed(let origin, let reason): "\(origin): the TLS handshake failed: \(reason)"
        case .handshakeTimedOut(let origin, let limit):
            // The limit is a setting of the library, which a user of a program cannot raise.
            "\(origin): no TLS handshake within \(limit.inWords): check that the port speaks TLS"
        }
    }
}

extension TLSError {
    /// The most characters that an error shows of a key's error.
    private static let shownCharacters = 250

    /// The error of a key as text of one line, which another party may have written.
    static func reason(of error: any Error) -> String {
        "\(error)".unicodeScalars.prefix(shownCharacters).map { $0.escaped(asASCII: true) }.joined()
    }
}
