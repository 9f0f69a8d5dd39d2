import NIOCore
import Sallyport
import SallyportClient

/// The snippets of SallyportClient.md.
enum SallyportClientSnippet {
    static func page(_ url: String, _ handler: ChallengeHandler) async throws -> (ClientResponse, ByteBuffer) {
        let client = AuthenticatedClient(CurrentHandler(handler))
        let response = try await client.execute(ClientRequest(url: url), deadline: .now() + .seconds(30))
        let page = try await response.body.collect(upTo: 1 << 20)
        return (response, page)
    }

    static func client(through proxy: String, _ handler: ChallengeHandler) -> AuthenticatedClient {
        var settings = ClientSettings()
        settings.proxy = { _ in try? Origin(parsing: proxy) }  // such as http://proxy.corp.example:3128
        let client = AuthenticatedClient(CurrentHandler(handler), settings: settings)
        return client
    }
}
