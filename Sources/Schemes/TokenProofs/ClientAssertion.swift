public import OAuth
internal import Secrets
internal import WireFormat

extension OAuthClient {
    /// The client with an assertion that `key` signs (RFC 7523 section 2.2, `private_key_jwt`), for one request in the next minute.
    ///
    /// - Parameters:
    ///   - key: the private key, whose public key the service knows.
    ///   - keyID: the name of the key at the service; `nil` if it knows one key of the client.
    ///   - audience: the name of the service; its issuer, or the URL of its token endpoint if `nil`.
    ///   - now: Unix time in seconds.
    public func asserting(
        _ key: AssertionKey,
        keyID: String? = nil,
        audience: String? = nil,
        at now: Int64
    ) -> OAuthClient {
        let audience = audience ?? tokenEndpoint.spelling
        let name = keyID.map { #","kid":\#(JSONText.quoted($0))"# } ?? ""
        let payload =
            #"{"iss":\#(JSONText.quoted(id)),"sub":\#(JSONText.quoted(id)),"aud":\#(JSONText.quoted(audience)),"#
            + #""jti":"\#(RandomBytes.text(16))","iat":\#(now),"exp":\#(now + TokenLimits.assertionSeconds)}"#
        let assertion = key.sign(header: #"{"typ":"JWT","alg":"\#(key.algorithm)"\#(name)}"#, payload: payload)
        return OAuthClient(
            id: id,
            authentication: .assertion(SharedSecret(utf8: assertion)),
            tokenEndpoint: tokenEndpoint,
            dialect: dialect
        )
    }
}
