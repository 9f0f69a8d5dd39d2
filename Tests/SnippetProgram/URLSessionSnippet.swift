import Foundation
import Sallyport
import SallyportURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

enum URLSessionSnippet {
    /// README's, and that of SallyportURLSession.md.
    static func response(_ url: URL, _ handler: ChallengeHandler) async throws -> (Data, URLResponse) {
        let authenticator = SessionAuthenticator(CurrentHandler(handler))
        let (data, response) = try await URLSession.shared.data(for: URLRequest(url: url), authenticator: authenticator)
        return (data, response)
    }
}
