public import Credentials

/// The client certificate to present, or the reason to present none.
public enum IdentityDecision: Equatable, Sendable {
    /// Present this identity.
    case present(ClientIdentity)
    /// Continue without a certificate; the server may refuse that.
    case withhold(Refusal)
}
