internal import Secrets

/// The bounds on what a token service may send, and on what is kept of it.
public enum TokenLimits {
    /// Bytes of one response. Documents with metadata are the longest; they have a few KiB.
    public static let responseBytes = 256 * 1024
    /// Levels of nested JSON that are read. Responses of token services have two.
    public static let nesting = 16
    /// Bytes of one token.
    public static let tokenBytes = SecretLimits.bytes
    /// Bytes of a redirect, such as a browser sends it to a loopback address.
    public static let redirectBytes = 16 * 1024
    /// The longest time in seconds for which a token is kept if its service names no end or a later one: 400 days.
    public static let lifetime: Int64 = 400 * 86_400
    /// Seconds between two questions about a device code if the service names no time (RFC 8628 section 3.2).
    public static let deviceInterval: Int64 = 5
    /// Responses in a row about a device code that cannot be read. After so many the URL is that of something else.
    public static let unreadableResponses = 5
    /// Bytes of a nonce for a proof of possession.
    public static let nonceBytes = 1_024
    /// Parties whose nonce is remembered.
    public static let nonces = 256
    /// Bytes of the name of a pushed authorization.
    public static let requestNameBytes = 2_048
    /// Seconds for which an assertion of a client is valid.
    public static let assertionSeconds: Int64 = 60
    /// Services that a sign-out asks at once to take tokens back.
    public static let revocationsAtOnce = 8
    /// Seconds by which a clock that was put back may be before a sign-in. A sign-in that is further in the future has ended.
    public static let signInClockMargin: Int64 = 300
    /// The longest time between two such questions.
    public static let longestDeviceInterval: Int64 = 300
}
