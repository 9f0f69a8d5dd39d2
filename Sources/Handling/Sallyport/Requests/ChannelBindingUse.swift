/// Whether an answer is tied to the TLS connection that it goes out on (RFC 5929).
///
/// A relay between client and server cannot use a bound answer on its own TLS connection. An unbound answer is taken by
/// servers that do not demand bindings; a caller that wants more refuses to send it.
public enum ChannelBindingUse: Equatable, Sendable {
    /// The scheme has no channel bindings, or the connection to the party has no TLS.
    case notApplicable
    /// The answer holds the binding `tls-server-end-point` of the server's certificate.
    case bound
    /// The connection has TLS, and the answer is not tied to it.
    case unbound(Gap)

    /// Why no binding could be made.
    public enum Gap: Error, Equatable, Sendable {
        /// The request came without the server's leaf certificate.
        case noCertificate
        /// The leaf certificate cannot be read.
        case unreadableCertificate
        /// The signature of the leaf certificate names no hash function that is known here, Ed25519 for example.
        case noSignatureHash
    }
}

extension ChannelBindingUse: CustomStringConvertible {
    /// One line: what happened and what to do.
    public var description: String {
        switch self {
        case .notApplicable: "no channel binding applies"
        case .bound: "bound to the TLS connection"
        case .unbound(.noCertificate):
            "not bound to the TLS connection: the request names no server certificate; set serverCertificate"
        case .unbound(.unreadableCertificate):
            "not bound to the TLS connection: the server certificate cannot be read; give the leaf in DER"
        case .unbound(.noSignatureHash):
            "not bound to the TLS connection: no binding is known for the signature of the server certificate"
        }
    }
}
