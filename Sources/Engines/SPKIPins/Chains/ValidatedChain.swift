/// A chain that a TLS stack has built and found good: signatures, names, times, and an anchor that is trusted.
///
/// It is what pins are compared with (RFC 7469 2.6). The certificates that a server sends along are something else, a
/// `PresentedChain`: anybody can add to those a certificate that he has no key for.
public struct ValidatedChain: Equatable, Sendable {
    package let contents: CertificateChain

    /// Takes the caller's word that this chain is the outcome of a validation that succeeded.
    ///
    /// Nothing here can check it. Pass the path that validation built, which may be shorter than what the server sent, or
    /// other, and which ends in the anchor. A stack that tells no path, only yes or no, cannot keep the promise.
    ///
    /// - Parameter certificates: one certificate in DER each; leaf first, anchor last.
    /// - Complexity: O(1); the certificates are not looked at yet.
    public init(assertingValidated certificates: [[UInt8]]) throws(ChainError) {
        contents = try CertificateChain(certificates)
    }

    /// The pin of each certificate, leaf first, or why a certificate has none.
    ///
    /// - Complexity: one hash per certificate, each time.
    public var pins: [Result<Pin, CertificateError>] { contents.keys }
}
