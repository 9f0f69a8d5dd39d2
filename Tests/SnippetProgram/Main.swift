import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Sallyport
import SallyportAsyncHTTPClient
import SallyportNIO
import SallyportURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Runs one snippet of README or of an article at an https server, in an environment of its own: where `SSL_CERT_FILE` or a mount
/// brings the roots of the system.
///
/// ```
/// SnippetProgram SNIPPET URL SCHEME USER PASSWORDFILE [PIN SPARE]
/// ```
///
/// It prints what the snippet prints, and then the status of the response, or `error` and the error.
@main struct Main {
    private let url: String
    private let origin: Origin
    private let scheme: AuthenticationScheme
    private let user: String
    private let password: SharedSecret
    private let pins: [String]

    private init(_ words: ArraySlice<String>) throws {
        let words = Array(words)
        url = words[0]
        origin = try ClientRequest(url: url).origin
        scheme = AuthenticationScheme(words[1])
        user = words[2]
        password = try SecretReference.file(path: words[3]).load()
        pins = Array(words[4...])
    }

    static func main() async {
        let words = CommandLine.arguments
        guard words.count >= 6 else { exit(2) }
        do {
            print(try await Main(words[2...]).run(words[1]))
        } catch {
            print("error \(error)")
        }
    }

    private func profile(accounts: Bool = true) throws -> SecurityProfile {
        let account = Account(name: "account", user: user, password: password)
        return SecurityProfile(
            sites: try SiteList(parsing: "\(origin)", name: "test"),
            schemes: [scheme],
            accounts: accounts ? [.init(account, sites: ["\(origin)"])] : []
        )
    }

    private func run(_ snippet: String) async throws -> String {
        let handler = try ChallengeHandler(profile: profile())
        switch snippet {
        case "async-http-client":
            var configuration = HTTPClient.Configuration.forAuthenticator
            // AsyncHTTPClient's own connections have its own roots.
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(ProcessInfo.processInfo.environment["SSL_CERT_FILE"] ?? "")
            configuration.tlsConfiguration = tls
            return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
                let response = try await AsyncHTTPClientSnippet.response(url, handler, client)
                return "\(response.status.code)"
            }
        case "url-session": return try await status(URLSessionSnippet.response(parsed(), handler).1)
        case "nio": return try await status(NIOSnippet.response(url, handler))
        case "nio-without-account":
            return try await status(NIOSnippet.response(url, ChallengeHandler(profile: profile(accounts: false))))
        case "pinned":
            let host = "\(origin.host)"
            return try await status(PinnedSnippet.response(url, host, profile(), pin: pins[0], spare: pins[1]))
        case "asking":
            let store = MemoryCredentialStore()
            let name = CredentialName(space: .origin(origin), user: user)
            try await store.save(StoredCredential(name: name, secret: password, created: 0))
            let empty = try ChallengeHandler(profile: profile(accounts: false))
            let (response, report) = try await AskingSnippet.response(url, empty, store)
            return "\(response.status.code), \(report.storedCredentials) record left the store"
        case "aw-controller":
            let wrong = Account(name: "account", user: user, password: SharedSecret(utf8: "Wrong"))
            var changed = try profile()
            changed.accounts = [.init(wrong, sites: ["\(origin)"])]
            let outdated = try ChallengeHandler(profile: changed)
            let (_, response) = try await PortedSnippets.page(parsed(), outdated) { names in
                print("asked for \(names.user)")
                return password
            }
            return status(response)
        default: exit(2)
        }
    }

    private func parsed() throws -> URL {
        guard let parsed = URL(string: url) else { throw URLError(.badURL) }
        return parsed
    }

    private func status(_ response: ClientResponse) -> String { "\(response.status.code)" }

    private func status(_ response: URLResponse) -> String { "\((response as? HTTPURLResponse)?.statusCode ?? 0)" }
}
