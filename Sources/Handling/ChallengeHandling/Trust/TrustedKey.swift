public import Hostnames
public import SPKIPins

/// The key of a server that is trusted without an authority: at one exact host, until a date.
///
/// It is for a server whose certificate is self-signed, has expired, or has another name, such as a development server. A key
/// is trusted, never a name alone: a server with another key is refused as before. Pins of the profile decide besides.
public struct TrustedKey: Hashable, Sendable {
    /// The exact host, on every port. Hosts below it are not covered.
    public let host: Hostname
    /// The SHA-256 pin of the server's own key.
    public let pin: Pin
    /// Unix time in seconds; from then on the key is not trusted any more.
    public let until: Int64

    /// Trusts the key with `pin` at `host` until the time `until`.
    public init(host: Hostname, pin: Pin, until: Int64) {
        self.host = host
        self.pin = pin
        self.until = until
    }
}
