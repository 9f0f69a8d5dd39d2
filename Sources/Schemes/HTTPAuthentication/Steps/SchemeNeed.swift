public import Negotiate
public import Secrets

/// What an exchange needs before it can answer, and what takes waiting to get.
///
/// The caller fetches it and passes it to ``AuthenticationExchange/supplied(_:)``.
public enum SchemeNeed: Equatable, Sendable {
    /// An access token for the realm of the challenge.
    case token(realm: String?)
    /// The first message of the system's security library for a service.
    case message(SystemMessageNeed)
}

/// What the caller fetched for a ``SchemeNeed``.
public enum SchemeSupply: Sendable {
    /// An access token.
    case token(SharedSecret)
    /// A message of the system's security library, with the context that goes on.
    case message(SystemMessage)
    /// It cannot be had. The exchange goes on with what it has besides, or ends with ``ExchangeFailure/needNotMet``.
    case unavailable
    /// It cannot be had for this reason, one line without a secret. The exchange goes on as with ``unavailable``, or ends with
    /// ``ExchangeFailure/needFailed(_:)``.
    case failed(String)
    /// The password that it takes was refused. The exchange ends, because another scheme would send the same password again.
    case passwordRefused
}
