public import Credentials

/// Which client certificate to present, if any.
public enum IdentityDecision: Equatable, Sendable {
    /// Present this identity.
    case present(ClientIdentity)
    /// Go on without a certificate; the server decides what that means.
    case withhold(Refusal)
}
