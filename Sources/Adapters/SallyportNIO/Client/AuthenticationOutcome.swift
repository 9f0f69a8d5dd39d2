public import Sallyport

/// A user inbound event: how the authentication of a request ended. It comes before the head of the response.
public struct AuthenticationOutcome: Equatable, Sendable {
    /// The end.
    public let outcome: RequestOutcome

    /// Describes an end.
    public init(_ outcome: RequestOutcome) { self.outcome = outcome }
}
