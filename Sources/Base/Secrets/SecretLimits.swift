/// The bound of one secret, wherever it comes from.
public enum SecretLimits {
    /// The most bytes of a password, a token, a passphrase or a client's secret, in a file, a field of a request or a response.
    ///
    /// Tokens are the longest: one with the groups of a user can have 20 KiB. Few servers take fields of more than 64 KiB.
    public static let bytes = 64 * 1024
}
