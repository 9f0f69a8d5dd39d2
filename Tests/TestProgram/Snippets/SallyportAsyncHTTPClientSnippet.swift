import AsyncHTTPClient
import NIOCore
import Sallyport
import SallyportAsyncHTTPClient

/// The snippet of SallyportAsyncHTTPClient.md.
enum SallyportAsyncHTTPClientSnippet {
    static func response(_ url: String, _ handler: ChallengeHandler) async throws -> HTTPClientResponse {
        let authenticator = HTTPClientAuthenticator(CurrentHandler(handler))
        let client = HTTPClient(configuration: .forAuthenticator)
        let response = try await client.execute(
            HTTPClientRequest(url: url),
            authenticator: authenticator,
            deadline: .now() + .seconds(30)
        )
        try await client.shutdown()
        return response
    }
}
