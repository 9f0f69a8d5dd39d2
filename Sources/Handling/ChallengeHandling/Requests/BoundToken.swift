internal import HTTPAuthentication
internal import HTTPTypes
internal import OAuth
internal import Secrets

/// A token of an account that is bound to a key: each send of it carries a proof (RFC 9449 section 7).
final class BoundToken: Sendable {
    private let token: SharedSecret
    private let prover: TokenProver

    init(_ token: SharedSecret, _ prover: TokenProver) { (self.token, self.prover) = (token, prover) }

    /// The field for one send of a request.
    func proof(for request: ChallengedRequest) -> ProofField {
        let value = prover.proof(method: request.method, origin: request.origin, path: request.path, token: token)
        return ProofField(HTTPField(name: .proof, value: value))
    }

    /// Takes the nonce for the next proof out of a response, also of a success. Returns whether it has one that can be used.
    @discardableResult
    func receivedNonce(in fields: HTTPFields, of request: ChallengedRequest) -> Bool {
        guard let nonce = fields[.proofNonce], ProofNonces.isUsable(nonce) else { return false }
        prover.received(nonce: nonce, from: request.origin)
        return true
    }
}
