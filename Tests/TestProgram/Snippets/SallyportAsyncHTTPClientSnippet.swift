import AsyncHTTPClient
import NIOCore
import Sallyport
import SallyportAsyncHTTPClient
import SallyportNIO

/// The snippets of SallyportAsyncHTTPClient.md.
enum SallyportAsyncHTTPClientSnippet {
    static func response(_ url: String, _ handler: ChallengeHandler) async throws -> HTTPClientResponse {
        let authenticator = HTTPClientAuthenticator(CurrentHandler(handler))
        let client = HTTPClient(configuration: .forAuthenticator)
        let response = try await client.execute(
            HTTPClientRequest(url: url),
            authenticator: authenticator,
            deadline: .now() + .seconds(30)
        )
        try await client.shutdown()
        return response
    }

    /// Returns the body, too.
    static func presenting(_ url: String, site: String) async throws -> (HTTPClientResponse, ByteBuffer) {
        let passphrase = try SecretReference.file(path: "passphrase").load()
        let laptop = try KeyedIdentity(name: "laptop", reading: .one("laptop.p12"), passphrase: passphrase)
        let profile = SecurityProfile(sites: try SiteList(parsing: site, name: "sites"), schemes: [])
        let current = CurrentHandler(try ChallengeHandler(profile: profile))
        let tls = try TLSConnector(current, identities: [.init(laptop, sites: [site])])
        let authenticator = HTTPClientAuthenticator(current, tls: tls)
        let client = HTTPClient(configuration: .forAuthenticator)
        let response = try await client.execute(
            HTTPClientRequest(url: url),
            authenticator: authenticator,
            deadline: .now() + .seconds(30)
        )
        let body = try await response.body.collect(upTo: 4_096)
        authenticator.shutDown()
        try await client.shutdown()
        return (response, body)
    }
}
