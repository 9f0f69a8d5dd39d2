public import Negotiate

/// What the caller fetched for a `SystemMessageNeed`, or why it has nothing.
///
/// Pass it to ``AuthenticationExchange/supplied(_:)``.
public enum SchemeSupply: Sendable {
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
