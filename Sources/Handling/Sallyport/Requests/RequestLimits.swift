/// The bounds on one request.
public enum RequestLimits {
    /// The most sends of one request: three legs at a proxy, three at an origin, and one stale nonce or lost connection at
    /// each.
    public static let sends = 12
}
