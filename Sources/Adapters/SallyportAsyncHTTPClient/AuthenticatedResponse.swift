public import AsyncHTTPClient
public import Sallyport

/// A response, and how the authentication of its request ended.
public struct AuthenticatedResponse: Sendable {
    /// The response of the last hop.
    public var response: HTTPClientResponse
    /// How the authentication of the last hop ended.
    public let outcome: RequestOutcome
}
