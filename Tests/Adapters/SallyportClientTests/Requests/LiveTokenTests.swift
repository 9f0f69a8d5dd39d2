import CredentialStores
import Foundation
import LiveServers
import NIOCore
import NIOHTTP1
import OAuth
import Sallyport
import Secrets
import Synchronization
import Testing

@testable import SallyportClient

/// Sources of tokens and clients at an OAuth service of Authlib.
@Suite(.inTurn, .serialized, .needs(.authlib))
struct LiveTokenTests {
    private let server: OAuthServer
    private let service: TokenService
    private let metadata: ServerMetadata

    init() async throws {
        server = try OAuthServer()
        let service = try TokenService.patient(tls: nil)
        self.service = service
        let issuer = try ServiceURL(server.url)
        metadata = try await ServiceDiscovery { try await service.send($0) }.metadata(of: issuer)
    }

    private func machine(secret: String = "p%w:s") -> OAuthTokenSource {
        source(
            .clientCredentials,
            OAuthClient(
                id: "machine",
                authentication: .basic(SharedSecret(utf8: secret)),
                tokenEndpoint: metadata.tokenEndpoint
            )
        )
    }

    private var device: OAuthClient { OAuthClient(id: "device", tokenEndpoint: metadata.tokenEndpoint) }

    private func source(
        _ grant: OAuthTokenSource.Grant,
        _ client: OAuthClient,
        _ store: any CredentialStore = MemoryCredentialStore()
    ) -> OAuthTokenSource {
        OAuthTokenSource(
            client.id,
            client: client,
            grant: grant,
            revocationEndpoint: metadata.revocationEndpoint,
            requiresTLS: false,
            store: store
        ) { [service] in try await service.send($0) }
    }

    private func authenticator(_ source: OAuthTokenSource, first: Bool) throws -> Authenticator {
        var place = AccountPlace(name: source.name, sites: [server.url])
        (place.tokens, place.sendsTokenFirst, place.allowsCleartext) = (source, first, true)
        let profile = SecurityProfile(sites: try SiteList(parsing: server.url, name: "live"), schemes: [.basic])
        return try Authenticator(
            CurrentHandler(ChallengeHandler(profile: profile, at: 0)),
            options: AuthenticatorOptions(places: [place])
        )
    }

    private func get(_ client: AuthenticatedClient, _ path: String) async throws -> (UInt, String) {
        try await Self.get(client, url: server.url + path)
    }

    private static func get(_ client: AuthenticatedClient, url: String) async throws -> (UInt, String) {
        let response = try await client.execute(ClientRequest(url: url), deadline: .now() + .hours(1))
        return (response.status.code, String(buffer: try await response.body.collect(upTo: 10_000)))
    }

    private func control(_ path: String) async throws -> String {
        let nothing = SecurityProfile(sites: try SiteList(parsing: "", name: "none"), schemes: [.basic])
        let client = AuthenticatedClient(
            CurrentHandler(try ChallengeHandler(profile: nothing, at: 0)),
            settings: .patient
        )
        defer { client.shutDown() }
        return try await get(client, "/control/" + path).1
    }

    /// The grant of a user who agrees on another device.
    private func signIn() async throws -> TokenGrant {
        let endpoint = try #require(metadata.deviceEndpoint)
        let request = DeviceAuthorization.request(for: device, at: endpoint, .init(scope: "read"))
        var authorization = try DeviceAuthorization(await service.send(request), for: device, at: 1_000)
        guard case .wait = try authorization.received(await service.send(authorization.tokenRequest), at: 1_000) else {
            throw PeerFailure(what: "a grant before the user has agreed")
        }
        #expect(try await control("decide/\(authorization.userCode)/yes") == "done")
        let now = Int64(Date().timeIntervalSince1970)
        let response = try await service.send(authorization.tokenRequest)
        guard case .granted(let grant) = try authorization.received(response, at: now) else {
            throw PeerFailure(what: "no grant after the user has agreed")
        }
        return grant
    }

    @Test("Client credentials, at the first challenge and in advance", arguments: [false, true])
    func clientCredentials(first: Bool) async throws {
        let client = AuthenticatedClient(try authenticator(machine(), first: first), settings: .patient)
        defer { client.shutDown() }
        for _ in 0..<3 {
            let (status, body) = try await get(client, "/items")
            #expect(status == 200 && body.contains("one"))
        }
        #expect(try await control("grants") == "1")
    }

    @Test("A wrong secret is the service's refusal") func wrongSecret() async throws {
        let client = AuthenticatedClient(try authenticator(machine(secret: "wrong"), first: true), settings: .patient)
        defer { client.shutDown() }
        do {
            _ = try await get(client, "/items")
            Issue.record("it was let in")
        } catch TokenServiceError.refused(let refusal) {
            #expect(refusal.code == .invalidClient)
        }
    }

    @Test("200 requests after the end of a token cause one refresh, which rotates") func rotation() async throws {
        let store = MemoryCredentialStore()
        let source = source(.refreshToken, device, store)
        try await source.signedIn(try await signIn())
        let client = AuthenticatedClient(try authenticator(source, first: true), settings: .patient)
        defer { client.shutDown() }
        #expect(try await get(client, "/items").0 == 200)
        let query = CredentialQuery(origin: metadata.tokenEndpoint.origin, kind: .refreshToken)
        let before = try await store.credentials(for: query, at: 0).first?.secret
        #expect(try await control("end-access") == "done")
        try await withThrowingTaskGroup(of: UInt.self) { group in
            let url = server.url + "/items"
            for _ in 0..<200 { group.addTask { try await Self.get(client, url: url).0 } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(try await control("grants") == "2")
        let after = try await store.credentials(for: query, at: 0).first?.secret
        #expect(before != nil && after != nil && before !== after)
        // The service takes each refresh token once.
        let spent = device.refresh(try #require(before))
        do {
            _ = try device.grant(from: try await service.send(spent), at: 0)
            Issue.record("a spent refresh token was taken")
        } catch {
            guard case .refused(let refusal) = error as? TokenServiceError else { throw error }
            #expect(refusal.code == .invalidGrant)
        }
    }

    @Test("A sign-out takes the tokens back at the service") func signOut() async throws {
        let source = source(.refreshToken, device)
        let grant = try await signIn()
        try await source.signedIn(grant)
        let authenticator = try authenticator(source, first: true)
        let client = AuthenticatedClient(authenticator, settings: .patient)
        defer { client.shutDown() }
        #expect(try await get(client, "/items").0 == 200)
        let report = await authenticator.signOut()
        #expect(report.revokedTokens == ["device"] && report.failures.isEmpty)
        await #expect(throws: OAuthTokenError.notSignedIn("device")) { try await get(client, "/items") }
        // Both tokens of the grant are of no use any more.
        let response = try await service.send(device.refresh(try #require(grant.refresh)))
        #expect(throws: TokenServiceError.self) { try device.grant(from: response, at: 0) }
    }

    @Test("A user who refuses ends the sign-in on another device") func refused() async throws {
        let endpoint = try #require(metadata.deviceEndpoint)
        let response = try await service.send(DeviceAuthorization.request(for: device, at: endpoint))
        var authorization = try DeviceAuthorization(response, for: device, at: 1_000)
        #expect(try await control("decide/\(authorization.userCode)/no") == "done")
        let answer = try await service.send(authorization.tokenRequest)
        do {
            _ = try authorization.received(answer, at: 1_000)
            Issue.record("the refusal was not seen")
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            #expect(refusal.code == .accessDenied)
        }
    }
}
