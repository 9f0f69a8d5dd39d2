import Foundation
import NIOHTTP1
import Sallyport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Runs one snippet of README or of an article at an https server, in an environment of its own: where `SSL_CERT_FILE` or a mount
/// brings the roots of the system, and the folder `HOME` has the files that snippets name.
///
/// ```
/// snippet NAME URL SCHEME USER PASSWORDFILE [MORE…]
/// ```
///
/// It prints what the snippet prints, and then the status of the response, or `error` and the error.
struct SnippetRun {
    let url: String
    let origin: Origin
    let scheme: AuthenticationScheme
    let user: String
    let pathOfSecret: String
    let password: SharedSecret
    /// What only some snippets need.
    let more: [String]

    private init(_ words: [String]) throws {
        url = words[0]
        origin = try URLLocation(parsing: url).origin
        scheme = AuthenticationScheme(words[1])
        user = words[2]
        pathOfSecret = words[3]
        password = try SecretReference.file(path: pathOfSecret).load()
        more = Array(words[4...])
    }

    static func run(_ words: [String]) async {
        guard let name = words.first, words.count >= 5 else { exit(2) }
        let home = ProcessInfo.processInfo.environment["HOME"] ?? "."
        guard FileManager.default.changeCurrentDirectoryPath(home) else { exit(2) }
        do {
            let run = try SnippetRun(Array(words[1...]))
            if let result = try await run.clients(name) {
                print(result)
            } else if let result = try await run.articles(name) {
                print(result)
            } else {
                exit(2)
            }
        } catch {
            print("error \(error)")
        }
    }

    func profile(accounts: Bool = true) throws -> SecurityProfile {
        let account = Account(name: "account", user: user, password: password)
        return SecurityProfile(
            sites: try SiteList(parsing: "\(origin)", name: "test"),
            schemes: [scheme],
            accounts: accounts ? [.init(account, sites: ["\(origin)"])] : []
        )
    }

    func parsed(_ text: String? = nil) throws -> URL {
        guard let parsed = URL(string: text ?? url) else { throw URLError(.badURL) }
        return parsed
    }

    func status(_ response: URLResponse) -> String { "\((response as? HTTPURLResponse)?.statusCode ?? 0)" }
}
