/// Who proved to be there, in the words of the client that the proof covers.
public struct VerifiedClient: Equatable, Sendable {
    /// The user, spelled as the client did.
    public let user: String
    /// The domain, spelled as the client did; empty when it named none.
    public let domain: String
    /// The service that the client meant to reach (SPN); `nil` when it did not say.
    public let targetName: String?
    /// Whether the client says that it has the target name from somebody whom it does not trust.
    public let isTargetNameUntrusted: Bool
    /// Whether an integrity code over all three messages was checked.
    public let hasMessageIntegrityCode: Bool
    /// Whether the answer was tied to our TLS connection.
    public let isBoundToChannel: Bool
}
