import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Sallyport
import SallyportAsyncHTTPClient
import SallyportClient
import SallyportURLSession

extension SnippetRun {
    /// The snippets of README and of the adapters' pages. Returns `nil` for another name.
    func clients(_ snippet: String) async throws -> String? {
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
        case "url-session": return try await status(URLSessionSnippet.response(url, handler).1)
        case "nio": return "\(try await NIOSnippet.response(url, handler).status.code)"
        case "nio-without-account":
            let empty = try ChallengeHandler(profile: profile(accounts: false))
            return "\(try await NIOSnippet.response(url, empty).status.code)"
        case "page-of-async-http-client":
            return "\(try await SallyportAsyncHTTPClientSnippet.response(url, handler).status.code)"
        case "certificate-of-async-http-client":
            let (response, body) = try await SallyportAsyncHTTPClientSnippet.presenting(url, site: "\(origin)")
            let words = String(buffer: body).split(separator: " ").prefix(2)
            return ([Substring("\(response.status.code)")] + words).joined(separator: " ")
        case "page-of-client":
            let (response, page) = try await SallyportClientSnippet.page(url, handler)
            return "\(response.status.code), \(page.readableBytes > 0 ? "a body" : "no body")"
        case "proxy":
            // The account is the proxy's, and the site behind it asks for none.
            let account = Account(name: "account", user: user, password: password)
            let proxied = SecurityProfile(
                sites: try SiteList(parsing: more[0], name: "test"),
                schemes: [scheme],
                accounts: [.init(account, sites: [more[0]])]
            )
            let client = SallyportClientSnippet.client(through: more[0], try ChallengeHandler(profile: proxied))
            let response = try await client.execute(.init(url: url), deadline: .now() + .hours(1))
            return "\(response.status.code)"
        case "pinned":
            let host = "\(origin.host)"
            let response = try await PinnedSnippet.response(url, host, profile(), pin: more[0], spare: more[1])
            return "\(response.status.code)"
        case "loop":
            let host = "wiki.acme.example"
            let path = try URLLocation(parsing: url).path
            return try await OneConnection.run(
                host,
                port: Int(origin.port),
                path: "\(path)",
                pathOfSecret: pathOfSecret
            )
        default: return nil
        }
    }
}
