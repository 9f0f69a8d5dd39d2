/// The certificates as a server sent them, not validated: for recordings and studies, never for a decision.
///
/// It cannot be converted to a `ValidatedChain`, and a policy does not accept it.
public struct PresentedChain: Equatable, Sendable {
    package let contents: CertificateChain

    /// Keeps what a server sent, in its order.
    ///
    /// - Complexity: O(1); the certificates are read later.
    public init(copying certificates: [[UInt8]]) throws(ChainError) {
        contents = try CertificateChain(certificates)
    }

    /// The pin of each certificate in the order sent, or why a certificate has none.
    ///
    /// - Complexity: one hash per certificate, each time.
    public var pins: [Result<Pin, CertificateError>] { contents.keys }
}
