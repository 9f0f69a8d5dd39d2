import Foundation
import Sallyport
import SallyportURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests a URL with URLSession: `url-session URL USER PASSWORDFILE`.
@main
enum Session {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4, let url = URL(string: words[1]) else {
            print("usage: url-session URL USER PASSWORDFILE")
            exit(2)
        }
        let site = try URLLocation(parsing: words[1]).origin
        let account = Account(name: "me", user: words[2], password: try SecretReference.file(path: words[3]).load())
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "\(site)", name: "sites"),
            schemes: [.ntlm, .digest],
            accounts: [.init(account, sites: ["\(site)"])]
        )
        let authenticator = SessionAuthenticator(CurrentHandler(try ChallengeHandler(profile: profile)))
        let (data, response) = try await URLSession.shared.data(for: URLRequest(url: url), authenticator: authenticator)
        print((response as? HTTPURLResponse)?.statusCode ?? 0)
        print(String(decoding: data, as: UTF8.self))
    }
}
