internal import CredentialStores
internal import Foundation
internal import Hostnames
internal import NIOCore
internal import Sallyport
internal import SallyportNIO
internal import Secrets
internal import Tokens

/// Refreshes a token again and again, until it is killed: `RefreshProgram URL STORE KEYFILE`. Prints a line for each token.
@main enum RefreshProgram {
    static func main() async throws {
        let words = CommandLine.arguments
        let store = try await SealedFileStore.open(at: words[2], key: .keyFile(path: words[3]))
        let nothing = SecurityProfile(sites: try SiteList(parsing: "", name: "none"), schemes: [.basic])
        let tls = TLSConnector(CurrentHandler(try ChallengeHandler(profile: nothing)))
        let service = try TokenService(tls: tls, limit: .hours(1))
        let endpoint = try ServiceURL(words[1] + "/token")
        let source = OAuthTokenSource(
            "device",
            client: OAuthClient(id: "device", tokenEndpoint: endpoint),
            grant: .refreshToken,
            store: store
        ) { try await service.send($0) }
        var question = TokenQuestion(origin: endpoint.origin)
        let output = FileHandle.standardOutput
        try output.write(contentsOf: Array("begun\n".utf8))
        while true {
            guard let token = try await source.token(for: question) else { return }
            question.replaced = token.secret
            try output.write(contentsOf: Array("token\n".utf8))
        }
    }
}
