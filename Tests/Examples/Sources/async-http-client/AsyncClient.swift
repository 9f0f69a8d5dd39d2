import AsyncHTTPClient
import Foundation
import NIOCore
import Sallyport
import SallyportAsyncHTTPClient

/// Requests a URL with AsyncHTTPClient: `async-http-client URL USER PASSWORDFILE`.
@main
enum AsyncClient {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4 else {
            print("usage: async-http-client URL USER PASSWORDFILE")
            exit(2)
        }
        let site = try URLLocation(parsing: words[1]).origin
        let account = Account(name: "me", user: words[2], password: try SecretReference.file(path: words[3]).load())
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "\(site)", name: "sites"),
            schemes: [.ntlm, .digest],
            accounts: [.init(account, sites: ["\(site)"])]
        )
        // Keep one for the life of the client: it remembers which origins need connections of their own.
        let authenticator = HTTPClientAuthenticator(CurrentHandler(try ChallengeHandler(profile: profile)))
        try await HTTPClient.withHTTPClient(configuration: .forAuthenticator) { client in
            let response = try await client.execute(
                HTTPClientRequest(url: words[1]),
                authenticator: authenticator,
                deadline: .now() + .seconds(30)
            )
            print(response.status.code)
            print(String(buffer: try await response.body.collect(upTo: 1 << 20)))
        }
    }
}
