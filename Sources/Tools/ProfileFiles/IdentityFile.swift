public import Secrets

/// Where a client certificate of a profile has its key.
public struct IdentityFile: Sendable {
    /// The name of the identity in the profile.
    public let name: String
    /// PEM, leaf first.
    public let certificates: String
    /// The file with the key; `nil` if the key lies beside the certificates.
    public let key: String?
    /// What opens an encrypted key; `nil` for none.
    public let passphrase: SharedSecret?
}
