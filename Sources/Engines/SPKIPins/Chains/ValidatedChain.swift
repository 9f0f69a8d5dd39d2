/// A chain that a TLS stack built and validated: signatures, names, times, and a trusted anchor.
///
/// Pins are compared with this chain (RFC 7469 2.6). The certificates that a server sends are a `PresentedChain`: a server
/// can send certificates whose keys it does not have.
public struct ValidatedChain: Equatable, Sendable {
    package let contents: CertificateChain

    /// Makes a chain; the caller asserts that it is the result of a successful validation.
    ///
    /// This library cannot check that. Pass the path that the validation built: it ends in the anchor, and may be shorter
    /// than the certificates that the server sent, or different. A stack that returns no path cannot be used.
    ///
    /// - Parameter certificates: one certificate in DER each; leaf first, anchor last.
    /// - Complexity: O(1); the certificates are read later.
    public init(assertingValidated certificates: [[UInt8]]) throws(ChainError) {
        contents = try CertificateChain(certificates)
    }

    /// The pin of each certificate, leaf first, or why a certificate has none.
    ///
    /// - Complexity: one hash per certificate, each time.
    public var pins: [Result<Pin, CertificateError>] { contents.keys }
}
