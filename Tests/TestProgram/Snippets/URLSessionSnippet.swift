import Foundation
import Sallyport
import SallyportURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

enum URLSessionSnippet {
    /// README's, and that of SallyportURLSession.md.
    static func response(_ url: String, _ handler: ChallengeHandler) async throws -> (Data, URLResponse) {
        let authenticator = SessionAuthenticator(CurrentHandler(handler))
        guard let address = URL(string: url) else { throw URLError(.badURL) }
        let (data, response) = try await URLSession.shared.data(
            for: URLRequest(url: address),
            authenticator: authenticator
        )
        return (data, response)
    }
}
