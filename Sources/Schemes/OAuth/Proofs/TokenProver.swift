package import Hostnames
package import Secrets
internal import Synchronization

/// Makes the proofs with which requests carry a token that is bound to a key (RFC 9449 section 7), one for each send.
///
/// It remembers the nonce of each server. The tokens of one key share it, from any number of requests at a time. Make one of an `ES256Key`.
public final class TokenProver: Sendable {
    /// What a proof is for.
    package struct Subject: Sendable {
        package let method: String
        package let origin: Origin
        /// Without the query.
        package let path: String
        package let token: SharedSecret
        package let nonce: String?
    }

    /// The name of the key (RFC 7638).
    public let thumbprint: String
    private let sign: @Sendable (Subject) -> String
    private let nonces = Mutex(ProofNonces())

    /// Takes what signs with the key at the time of the call.
    package init(thumbprint: String, sign: @escaping @Sendable (Subject) -> String) {
        (self.thumbprint, self.sign) = (thumbprint, sign)
    }

    /// The proof for one send.
    ///
    /// - Parameters:
    ///   - method: the request method.
    ///   - origin: scheme, host and port of the server.
    ///   - path: the path without the query; one that does not begin with a slash, such as `*`, is left out.
    ///   - token: the token that the request carries.
    /// - Complexity: one signature.
    package func proof(method: String, origin: Origin, path: String, token: SharedSecret) -> String {
        let nonce = nonces.withLock { $0[origin] }
        let path = path.hasPrefix("/") ? path : ""
        return sign(Subject(method: method, origin: origin, path: path, token: token, nonce: nonce))
    }

    /// Takes the nonce of a response, also of a success, for the next proof to its server (RFC 9449 section 8.2).
    package func received(nonce: String, from origin: Origin) {
        nonces.withLock { _ = $0.received(nonce, from: origin) }
    }
}

extension TokenProver: CustomStringConvertible {
    /// The name of the key.
    public var description: String { "<proofs by the key \(thumbprint)>" }
}
