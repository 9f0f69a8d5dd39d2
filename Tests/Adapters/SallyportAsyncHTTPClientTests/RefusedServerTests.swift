import AllowedSites
import AsyncHTTPClient
import Foundation
import HTTPAuthentication
import Hostnames
import LiveServers
import NIOCore
import NIOSSL
import Sallyport
import SallyportAsyncHTTPClient
import SallyportNIO
import Testing

/// Servers whose TLS fails on a connection of AsyncHTTPClient: one sentence says what is wrong with them.
@Suite(.inTurn) struct RefusedServerTests {
    private let root: TestAuthority

    init() throws { root = try TestAuthority("Root") }

    /// The error of a request. The connections of AsyncHTTPClient trust `trusted`, those of the authenticator the root of the tests.
    private func failure(_ origin: Origin, trusting trusted: TestAuthority) async throws -> any Error {
        let profile = SecurityProfile(sites: try SiteList(parsing: "", name: "none"), schemes: [.basic])
        let current = CurrentHandler(try ChallengeHandler(profile: profile))
        var settings = TLSSettings.patient
        settings.roots = .certificates([try root.own.der])
        let authenticator = HTTPClientAuthenticator(current, tls: try TLSConnector(settings, current))
        defer { authenticator.shutDown() }
        var configuration = HTTPClient.Configuration.forAuthenticator
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([try trusted.own.certificate.nio])
        configuration.tlsConfiguration = tls
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            try await #require(throws: (any Error).self) {
                _ = try await client.execute(
                    HTTPClientRequest(url: "\(origin)/"),
                    authenticator: authenticator,
                    deadline: .now() + .hours(1)
                )
            }
        }
    }

    private func server(_ leaf: Keyed) async throws -> ScriptedServer {
        try await ScriptedServer(tls: leaf.serverContext) { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
    }

    @Test("An expired certificate, another name and an unknown authority are told apart") func certificates()
        async throws
    {
        let stranger = try TestAuthority("Stranger")
        let past = TestAuthority.Changes(begin: Date() - 7_200, end: Date() - 3_600)
        for (leaf, authority, expected) in [
            (try root.leaf("localhost", changes: past), root, InvalidServer.expired(subject: "CN=Leaf")),
            (try root.leaf("other.example"), root, .otherName),
            (try stranger.leaf("localhost"), root, .unknownAuthority(issuer: "CN=Stranger")),
        ] {
            let server = try await server(leaf)
            defer { server.stop() }
            let error = try await failure(server.origin, trusting: authority)
            guard case TLSError.serverNotValidated(server.origin, expected, chain: _) = error else {
                Issue.record("\(expected): \(error)")
                continue
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("Where only AsyncHTTPClient has other roots, the sentence says so") func otherRoots() async throws {
        let server = try await server(root.leaf("localhost"))
        defer { server.stop() }
        let error = try await failure(server.origin, trusting: TestAuthority("Other"))
        #expect(
            "\(error)"
                == "\(server.origin): the TLS handshake failed: the roots of this client do not vouch for the server's "
                + "certificate: add the root of its authority to them, or renew the certificate if it has expired"
        )
    }

    @Test("A server that does not speak TLS is named as such", .needs(.nginx, .openssl)) func plain() async throws {
        let server = try await GuardedServer.started(.nginxBasic)
        let origin = try Origin(parsing: "https://localhost:\(server.address().port)")
        let error = try await failure(origin, trusting: root)
        defer { withExtendedLifetime(server) {} }
        #expect("\(error)" == "\(origin): the TLS handshake failed: the server does not speak TLS: check the port")
    }
}
