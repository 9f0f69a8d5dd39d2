/// The bounds on one request.
public enum RequestLimits {
    /// The most sends of one request: five at a proxy and five at an origin (two answers in advance of Digest whose nonces are stale, the
    /// question, two answers to it), and two for lost connections.
    public static let sends = 12
    /// How long a request waits for a message of Kerberos. Then it goes on without.
    public static let messageSeconds = 15
}
