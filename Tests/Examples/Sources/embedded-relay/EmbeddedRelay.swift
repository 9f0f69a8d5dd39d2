import Foundation
import NIOCore
import Sallyport
import SallyportRelay

/// A local proxy inside a program, which logs on at the corporate proxy for clients that cannot:
/// `embedded-relay PROXY USER PASSWORDFILE`. It prints its address, and ends with its standard input.
@main
enum EmbeddedRelay {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4 else {
            print("usage: embedded-relay PROXY USER PASSWORDFILE")
            exit(2)
        }
        let proxy = try Origin(parsing: words[1])  // such as http://proxy.corp.example:8080
        let account = Account(name: "me", user: words[2], password: try SecretReference.file(path: words[3]).load())
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "\(proxy)", name: "proxies"),
            schemes: [.negotiate, .ntlm, .digest],
            accounts: [.init(account, sites: ["\(proxy)"])]
        )
        let handlers = CurrentHandler(try ChallengeHandler(profile: profile))
        let relay = Relay(try Authenticator(handlers), RelaySettings(parents: proxy))
        for address in try await relay.start() { print("http://127.0.0.1:\(address.port ?? 0)") }
        while readLine() != nil {}
        await relay.stop()
    }
}
