public import Secrets

/// The files of a client certificate of a profile.
public struct IdentityFile: Sendable {
    /// The name of the identity in the profile.
    public let name: String
    /// PEM, leaf first.
    public let certificates: String
    /// The file with the key; `nil` if the key lies beside the certificates, or the profile names none.
    public let key: String?
    /// What opens an encrypted key; `nil` for none.
    public let passphrase: SharedSecret?
}
