import AllowedSites
import AsyncHTTPClient
import Credentials
import Foundation
import HTTPAuthentication
import Hostnames
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportAsyncHTTPClient
import SallyportClient

/// Clients with tickets of Kerberos, for tests that need an environment of their own.
///
/// ```
/// ask nio|async PRINCIPAL URL...
/// ```
///
/// It asks for each page after the other with one client, and prints a line `STATUS USER` for each, where USER is the field `X-User`.
enum TicketClients {
    static func run(_ words: [String]) async {
        do {
            guard words.count > 2 else { exit(2) }
            let urls = Array(words[2...])
            let current = CurrentHandler(try handler(for: words[1], at: urls))
            if words[0] == "async" { try await askAsync(urls, current) } else { try await askNIO(urls, current) }
        } catch {
            print("error \(error)")
        }
    }

    private static func handler(for principal: String, at urls: [String]) throws -> ChallengeHandler {
        let sites = Set(try urls.map { "\(try ClientRequest(url: $0).origin)" }).sorted()
        let account = Account(name: "account", user: principal, credential: .ticket)
        let profile = SecurityProfile(
            sites: try SiteList(parsing: sites.joined(separator: "\n"), name: "test"),
            schemes: [.negotiate],
            accounts: [.init(account, sites: sites, negotiate: NegotiateRules(usesKerberos: true))],
            kerberos: KerberosMessages()
        )
        return try ChallengeHandler(profile: profile, at: 0)
    }

    private static func askNIO(_ urls: [String], _ current: CurrentHandler) async throws {
        let client = AuthenticatedClient(current)
        defer { client.shutDown() }
        for url in urls {
            let response = try await client.execute(try ClientRequest(url: url), deadline: .now() + .hours(1))
            _ = try await response.body.collect(upTo: 1 << 20)
            print("\(response.status.code) \(response.headers.first(name: "X-User") ?? "-")")
        }
    }

    private static func askAsync(_ urls: [String], _ current: CurrentHandler) async throws {
        let authenticator = HTTPClientAuthenticator(current)
        defer { authenticator.shutDown() }
        try await HTTPClient.withHTTPClient(configuration: .forAuthenticator) { client in
            for url in urls {
                let response = try await client.execute(
                    HTTPClientRequest(url: url),
                    authenticator: authenticator,
                    deadline: .now() + .hours(1)
                )
                _ = try await response.body.collect(upTo: 1 << 20)
                print("\(response.status.code) \(response.headers.first(name: "X-User") ?? "-")")
            }
        }
    }
}
