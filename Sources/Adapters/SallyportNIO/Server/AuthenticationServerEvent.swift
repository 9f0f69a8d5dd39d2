public import ClientAuthentication

/// What an ``AuthenticationServerHandler`` tells the handlers behind it, as an inbound user event.
public enum AuthenticationServerEvent: Sendable {
    /// The next request head is one of this client.
    case accepted(AuthenticatedClientName)
    /// A request was refused and does not arrive.
    case refused(ClientRefusal.Reason)
    /// The directory threw, or took too long (`nil`).
    case directoryFailed((any Error)?)
}
