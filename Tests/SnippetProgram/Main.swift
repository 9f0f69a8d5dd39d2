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
/// SnippetProgram SNIPPET URL SCHEME USER PASSWORDFILE [MORE…]
/// ```
///
/// It prints what the snippet prints, and then the status of the response, or `error` and the error.
@main struct Main {
    let url: String
    let origin: Origin
    let scheme: AuthenticationScheme
    let user: String
    let pathOfSecret: String
    let password: SharedSecret
    /// What only some snippets need.
    let more: [String]

    private init(_ words: ArraySlice<String>) throws {
        let words = Array(words)
        url = words[0]
        origin = try URLLocation(parsing: url).origin
        scheme = AuthenticationScheme(words[1])
        user = words[2]
        pathOfSecret = words[3]
        password = try SecretReference.file(path: pathOfSecret).load()
        more = Array(words[4...])
    }

    static func main() async {
        let words = CommandLine.arguments
        guard words.count >= 6 else { exit(2) }
        let home = ProcessInfo.processInfo.environment["HOME"] ?? "."
        guard FileManager.default.changeCurrentDirectoryPath(home) else { exit(2) }
        do {
            let program = try Main(words[2...])
            if let result = try await program.clients(words[1]) {
                print(result)
            } else if let result = try await program.articles(words[1]) {
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
