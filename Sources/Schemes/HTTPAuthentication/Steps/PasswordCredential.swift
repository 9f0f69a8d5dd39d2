public import Secrets

/// A user name and a password for Basic and Digest.
public struct PasswordCredential: Sendable {
    /// As the scheme sends it.
    public let user: String
    /// UTF-8 as typed, without Unicode normalisation.
    public let password: SharedSecret

    /// Pairs a user name with a password in UTF-8.
    public init(user: String, password: SharedSecret) {
        self.user = user
        self.password = password
    }
}
