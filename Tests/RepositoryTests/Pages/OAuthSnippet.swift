import OAuth
import Secrets

/// The snippet of OAuth.md.
enum OAuthSnippet {
    static func signIn(
        _ id: String,
        _ secret: SharedSecret,
        tokenEndpoint: String,
        unixSeconds: Int64,
        send: (TokenRequest) async throws -> TokenResponse
    ) async throws -> TokenGrant {
        let client = OAuthClient(
            id: id,
            authentication: .basic(secret),
            tokenEndpoint: try ServiceURL(tokenEndpoint)
        )
        let response = try await send(client.clientCredentials(.init(scope: "read")))
        let grant = try client.grant(from: response, at: unixSeconds)
        return grant
    }
}
