public import Credentials

/// A client identity and its private key, which belong together.
///
/// The description is the name; neither the key nor a certificate is shown.
public struct KeyedIdentity: Sendable {
    /// The name and the certificates, the key's own first.
    public let identity: ClientIdentity
    /// The private key.
    public let key: IdentityKey
    /// The first second in which the key's certificate is valid, counted from 1970-01-01T00:00:00Z.
    public let notBefore: Int64
    /// The last second in which it is valid.
    public let notAfter: Int64
    /// How it lies in its file; `nil` if it was not read from one.
    public internal(set) var form: IdentityForm?

    /// Pairs a key with its certificate.
    ///
    /// - Parameters:
    ///   - name: the name of the identity in the profile.
    ///   - certificates: DER, in any order. The chain is made of the key's certificate and, as far as they are there, of its issuers;
    ///     others are left out.
    ///   - key: the private key.
    /// - Complexity: O(*n*²) in the number of certificates, which is bounded.
    public init(name: String, certificates: [[UInt8]], key: IdentityKey) throws(IdentityError.Problem) {
        let chain = try IdentityChain(of: key.publicKeyInfo, in: certificates)
        identity = ClientIdentity(name: name, certificateChain: chain.certificates)
        self.key = key
        notBefore = chain.notBefore
        notAfter = chain.notAfter
    }

    /// Whether the identity's certificate is valid at a time in seconds since 1970-01-01T00:00:00Z.
    public func isValid(at seconds: Int64) -> Bool { notBefore <= seconds && seconds <= notAfter }
}

extension KeyedIdentity: CustomStringConvertible {
    /// The name of the identity.
    public var description: String { identity.description }
}
