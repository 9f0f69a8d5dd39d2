internal import CredentialStores
internal import Foundation
internal import Hostnames
internal import NIOCore
internal import OAuth
internal import Sallyport
internal import SallyportClient
internal import SallyportNIO
internal import Secrets
internal import Synchronization

/// Refreshes a token again and again, until it is killed: `refresh URL STORE KEYFILE [TOKENS]`. Prints a line for each token.
///
/// With TOKENS it stops between the service's answer and the store, after so many tokens, and prints a line there: a kill that follows
/// falls into this window.
enum Refreshing {
    static func run(_ words: [String]) async throws {
        let store = try await SealedFileStore.open(at: words[1], key: .keyFile(path: words[2]))
        let nothing = SecurityProfile(sites: try SiteList(parsing: "", name: "none"), schemes: [.basic])
        let tls = TLSConnector(CurrentHandler(try ChallengeHandler(profile: nothing)))
        let service = try TokenService(tls: tls, limit: .hours(1))
        let endpoint = try ServiceURL(words[0] + "/token")
        let output = FileHandle.standardOutput
        let tokens = Mutex(0)
        let source = OAuthTokenSource(
            "device",
            client: OAuthClient(id: "device", tokenEndpoint: endpoint),
            grant: .refreshToken,
            store: store
        ) { request in
            let response = try await service.send(request)
            if words.count > 3, tokens.withLock({ $0 }) == Int(words[3]) {
                try output.write(contentsOf: Array("answered\n".utf8))
                while true { try await Task.sleep(for: .seconds(3_600)) }
            }
            return response
        }
        var question = TokenQuestion(origin: endpoint.origin)
        try output.write(contentsOf: Array("begun\n".utf8))
        while true {
            guard let token = try await source.token(for: question) else { return }
            question.replaced = token.secret
            tokens.withLock { $0 += 1 }
            try output.write(contentsOf: Array("token\n".utf8))
        }
    }
}
