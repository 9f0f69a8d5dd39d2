/// The bounds on one request.
public enum RequestLimits {
    /// The most sends of one request: three legs at a proxy, three at an origin, and one stale nonce or lost connection at
    /// each.
    public static let sends = 12
    /// How long a request waits for a message of Kerberos. Then it goes on without.
    public static let messageSeconds = 15
}
