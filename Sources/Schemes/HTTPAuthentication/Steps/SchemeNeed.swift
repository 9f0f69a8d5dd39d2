public import Secrets

/// What an exchange needs before it can answer, and what takes waiting to get.
///
/// The caller fetches it and passes it to ``AuthenticationExchange/supplied(_:)``.
public enum SchemeNeed: Equatable, Sendable {
    /// An access token for the realm of the challenge.
    case token(realm: String?)
    /// The next message of the system's security library for a service such as `HTTP/wiki.acme.example`. `input` is the
    /// server's message, empty at the start.
    case message(service: String, input: [UInt8])
}

/// What the caller fetched for a ``SchemeNeed``.
public enum SchemeSupply: Sendable {
    /// An access token.
    case token(SharedSecret)
    /// A message of the system's security library.
    case message([UInt8])
    /// It cannot be had; the exchange ends with ``ExchangeFailure/needNotMet``.
    case unavailable
}
