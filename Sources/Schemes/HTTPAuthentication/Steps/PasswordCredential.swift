public import Secrets

/// A user name and a password, as Basic and Digest need them.
public struct PasswordCredential: Sendable {
    /// As the scheme sends it.
    public let user: String
    /// UTF-8, in the form in which the user typed it.
    public let password: SharedSecret

    /// Pairs a user name with a password in UTF-8.
    public init(user: String, password: SharedSecret) {
        self.user = user
        self.password = password
    }
}
