internal import ChallengeHandling
public import OAuth
public import TokenProofs

/// The keys with which an ``OAuthTokenSource`` proves what it is.
public struct ClientKeys: Sendable {
    /// Signs an assertion for each request in place of a secret (RFC 7523, `private_key_jwt`); `nil` for the client's own proof.
    public var assertion: AssertionKey?
    /// The name of the assertion's key at the service; `nil` if the service knows one key of the client.
    public var assertionKeyID: String?
    /// Whom assertions are for. The issuer is safest: by its name alone, a false service cannot show an assertion to the true one.
    public var audience: OAuthClient.Audience
    /// Binds tokens to itself (RFC 9449, DPoP); `nil` for bearer tokens. Keep it where the refresh token is: one is of no use without the other.
    public var proof: ES256Key?

    /// Takes the keys; without any the client proves itself as its `authentication` says.
    public init(
        assertion: AssertionKey? = nil,
        assertionKeyID: String? = nil,
        audience: OAuthClient.Audience = .tokenEndpoint,
        proof: ES256Key? = nil
    ) {
        (self.assertion, self.assertionKeyID, self.audience, self.proof) = (assertion, assertionKeyID, audience, proof)
    }

    /// The client for one request: with an assertion, if there is a key for one.
    ///
    /// - Parameters:
    ///   - client: the client without the assertion.
    ///   - url: where the request goes.
    ///   - now: Unix time in seconds.
    public func asserting(_ client: OAuthClient, to url: ServiceURL, at now: Int64) -> OAuthClient {
        guard let assertion else { return client }
        let name: String? =
            switch audience {
            case .named(let name): name
            case .tokenEndpoint: nil
            case .endpoint: url.spelling
            }
        return client.asserting(assertion, keyID: assertionKeyID, audience: name, at: now)
    }
}
