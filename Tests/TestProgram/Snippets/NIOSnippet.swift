import NIOCore
import Sallyport
import SallyportClient

enum NIOSnippet {
    /// README's.
    static func response(_ url: String, _ handler: ChallengeHandler) async throws -> ClientResponse {
        let client = AuthenticatedClient(CurrentHandler(handler))
        let response = try await client.execute(ClientRequest(url: url), deadline: .now() + .seconds(30))
        if case .withheld(let refusal, by: let party) = response.outcome {
            print("\(party), \(response.status): \(refusal)")  // why no answer was sent
        }
        return response
    }
}
