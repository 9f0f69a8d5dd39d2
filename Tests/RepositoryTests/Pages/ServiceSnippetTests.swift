import Foundation
import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import SallyportNIO
import SallyportRelay
import Secrets
import SwiftASN1
import Testing
import X509

/// The snippets of the pages about token services and the relay, over https at servers of other programs.
@Suite(.inTurn, .serialized, .needs(.haproxy)) struct ServiceSnippetTests {
    private let root: TestAuthority
    private let leaf: Keyed

    init() throws {
        root = try TestAuthority("Root of the tests")
        leaf = try root.leaf("localhost", "wiki.acme.example")
    }

    private func connector(_ current: CurrentHandler) throws -> TLSConnector {
        var settings = TLSSettings.patient
        settings.roots = .certificates([try root.own.der])
        return try TLSConnector(settings, current)
    }

    @Test("An application signs in at Authlib's service", .needs(.authlib)) func tokens() async throws {
        let server = try OAuthServer()
        let haproxy = try await HAProxyWithTLS(leaf, server: ServiceURL(server.url).origin.port)
        let nothing = SecurityProfile(sites: try SiteList(parsing: "", name: "none"), schemes: [.basic])
        let service = try TokenService.patient(tls: connector(CurrentHandler(ChallengeHandler(profile: nothing))))
        let grant = try await OAuthSnippet.signIn(
            "machine",
            SharedSecret(utf8: "p%w:s"),
            tokenEndpoint: "https://localhost:\(haproxy.port)/token",
            unixSeconds: 1_700_000_000
        ) {
            try await service.send($0)
        }
        #expect(grant.access.scope == "read" && grant.refresh == nil)
    }

    @Test("The relay leads to an https site through Squid, and the client knows no password", .needs(.squid))
    func relay() async throws {
        let squid = try await GuardedServer.started(.squidDigest)
        let haproxy = try await HAProxyWithTLS(leaf, server: squid.openOrigin.port)
        let authenticator = try Authenticator(CurrentHandler(squid.handler()))
        let (relay, addresses) = try await SallyportRelaySnippet.relay(to: "\(squid.address())", authenticator)
        let address = try #require(addresses.first?.port)
        let nothing = SecurityProfile(sites: try SiteList(parsing: "", name: "none"), schemes: [.basic])
        let current = CurrentHandler(try ChallengeHandler(profile: nothing))
        var settings = ClientSettings.patient
        settings.proxy = { _ in try? Origin(parsing: "http://127.0.0.1:\(address)") }
        let client = AuthenticatedClient(current, settings: settings, tls: try connector(current))
        // The relay serves no loopback address, and Squid knows this name.
        let url = "https://wiki.acme.example:\(haproxy.port)\(squid.page(1))"
        let response = try await client.execute(ClientRequest(url: url), deadline: .now() + .hours(1))
        #expect(response.status == .ok)
        _ = try await response.body.collect(upTo: 1 << 20)
        client.shutDown()
        await relay.stop()
        #expect(try squid.takeBadLogOns() == 0)
    }
}
