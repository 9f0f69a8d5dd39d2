import AsyncHTTPClient
import NIOCore
import Sallyport
import SallyportAsyncHTTPClient

enum AsyncHTTPClientSnippet {
    /// README's, with a client of the application.
    static func response(
        _ url: String,
        _ handler: ChallengeHandler,
        _ httpClient: HTTPClient
    ) async throws -> HTTPClientResponse {
        let authenticator = HTTPClientAuthenticator(CurrentHandler(handler))
        let response = try await httpClient.execute(
            HTTPClientRequest(url: url),
            authenticator: authenticator,
            deadline: .now() + .seconds(30)
        )
        return response
    }
}
