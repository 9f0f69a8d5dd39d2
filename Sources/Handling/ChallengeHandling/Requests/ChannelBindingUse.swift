/// Whether an answer is bound to its TLS connection (RFC 5929).
///
/// A relay between client and server cannot use a bound answer on its own TLS connection. Servers that do not require
/// bindings accept an unbound answer; a caller that requires bindings must not send it.
public enum ChannelBindingUse: Equatable, Sendable {
    /// The scheme has no channel bindings, or the connection to the party has no TLS.
    case notApplicable
    /// The answer contains the binding `tls-server-end-point` of the server's certificate.
    case bound
    /// The connection has TLS, but the answer is not bound to it.
    case unbound(Gap)

    /// Why a binding could not be made.
    public enum Gap: Error, Equatable, Sendable {
        /// The request has no server certificate.
        case noCertificate
        /// The leaf certificate cannot be read.
        case unreadableCertificate
        /// The signature of the leaf certificate has no supported hash function, for example Ed25519.
        case noSignatureHash
    }
}

extension ChannelBindingUse: CustomStringConvertible {
    /// One line: the problem and the remedy.
    public var description: String {
        switch self {
        case .notApplicable: "channel binding does not apply to this scheme or connection"
        case .bound: "bound to the TLS connection"
        case .unbound(.noCertificate):
            "not bound to the TLS connection: the request has no server certificate; set serverCertificate"
        case .unbound(.unreadableCertificate):
            "not bound to the TLS connection: the server certificate cannot be read; give the leaf in DER"
        case .unbound(.noSignatureHash):
            "not bound to the TLS connection: no binding is known for the signature of the server certificate"
        }
    }
}
