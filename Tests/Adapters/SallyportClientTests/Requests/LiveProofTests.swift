import Foundation
import LiveServers
import NIOCore
import NIOHTTP1
import OAuth
import Sallyport
import SallyportClient
import Testing
import TokenProofs

/// Proofs of possession (RFC 9449) and assertions (RFC 7523) at a service that checks them with joserfc.
@Suite(.inTurn, .serialized, .needs(.joserfc))
struct LiveProofTests {
    private let server: ProvenServer
    private let service: TokenService
    private let key = ES256Key()
    private let machineKey = ES256Key()
    private let client: AuthenticatedClient

    init() throws {
        server = try ProvenServer(key: machineKey.publicKey)
        service = try TokenService.patient(tls: nil)
        let nothing = SecurityProfile(sites: try SiteList(parsing: "", name: "none"), schemes: [.basic])
        client = AuthenticatedClient(CurrentHandler(try ChallengeHandler(profile: nothing, at: 0)), settings: .patient)
    }

    private var now: Int64 { Int64(Date().timeIntervalSince1970) }
    private var device: OAuthClient {
        get throws { OAuthClient(id: "device", tokenEndpoint: try ServiceURL(server.url + "/token")) }
    }
    private var machine: OAuthClient {
        get throws { OAuthClient(id: "machine", tokenEndpoint: try ServiceURL(server.url + "/token")) }
    }

    private func control(_ page: String) async throws -> String {
        let response = try await client.execute(ClientRequest(url: "\(server.url)/control/\(page)"))
        return String(buffer: try await response.body.collect(upTo: 1_000))
    }

    /// Sends a request with a proof, and once more with the service's nonce.
    private func send(_ proofs: inout ProofOfPossession, _ make: () throws -> TokenRequest) async throws
        -> TokenResponse
    {
        let request = try make()
        let response = try await service.send(proofs.request(request, at: now))
        guard proofs.wantsAgain(response, from: request.url.origin) else { return response }
        return try await service.send(proofs.request(make(), at: now))
    }

    private func items(_ proofs: inout ProofOfPossession, _ token: AccessToken, times: Int = 2) async throws -> UInt {
        let origin = try Origin(parsing: server.url)
        var status: UInt = 0
        for _ in 0..<times {
            let fields = proofs.fields(for: token, method: "GET", origin: origin, target: "/items?a=1", at: now)
            let request = ClientRequest(
                origin: origin,
                target: "/items?a=1",
                headers: [
                    "Authorization": fields.authorization.withBytes { bytes in
                        String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
                    }, ProofOfPossession.field: fields.proof,
                ]
            )
            let response = try await client.execute(request, deadline: .now() + .hours(1))
            _ = try await response.body.collect(upTo: 1_000)
            status = response.status.code
            let nonce = response.headers.first(name: ProofOfPossession.nonceField)
            guard proofs.received(nonce: nonce, from: origin), status == 401 else { break }
        }
        return status
    }

    private func granted(_ proofs: inout ProofOfPossession) async throws -> TokenGrant {
        let response = try await send(&proofs) {
            try machine.asserting(.es256(machineKey), at: now).clientCredentials()
        }
        return try machine.grant(from: response, at: now)
    }

    @Test("A client with an assertion gets a token for its key, and opens the resource with a proof") func opens()
        async throws
    {
        var proofs = ProofOfPossession(key)
        let grant = try await granted(&proofs)
        #expect(grant.access.kind == .dpop)
        #expect(try await items(&proofs, grant.access) == 200)
        // The nonce is known now.
        #expect(try await items(&proofs, grant.access, times: 1) == 200)
        #expect(try await control("nonce") == "done")
        #expect(try await items(&proofs, grant.access) == 200)
        #expect(try await granted(&proofs).access.kind == .dpop)
    }

    @Test("A stolen token is of no use with another key") func stolen() async throws {
        var proofs = ProofOfPossession(key)
        let grant = try await granted(&proofs)
        var thief = ProofOfPossession(ES256Key())
        #expect(try await items(&thief, grant.access) == 401)
        #expect(try await control("last") == "bound to another key")
    }

    @Test("A refresh token of a public client is bound to the key that used it first") func refresh() async throws {
        let first = SharedSecret(utf8: try await control("sign-in"))
        var proofs = ProofOfPossession(key)
        let response = try await send(&proofs) { try device.refresh(first) }
        let grant = try device.grant(from: response, at: now)
        let next = try #require(grant.refresh)
        var thief = ProofOfPossession(ES256Key())
        let answer = try await send(&thief) { try device.refresh(next) }
        #expect(throws: TokenServiceError.self) { try device.grant(from: answer, at: now) }
        #expect(try await control("last") == "bound to another key")
        // After a restart the key comes from a store.
        let kept = try #require(ES256Key(key.secret))
        #expect(kept.thumbprint == key.thumbprint)
        var again = ProofOfPossession(kept)
        let answered = try await send(&again) { try device.refresh(next) }
        #expect(try device.grant(from: answered, at: now).refresh != nil)
    }

    @Test("A proof is good for one request, an assertion too, and another key's assertion is refused") func once()
        async throws
    {
        var proofs = ProofOfPossession(key)
        _ = try await granted(&proofs)
        let request = proofs.request(try machine.asserting(.es256(machineKey), at: now).clientCredentials(), at: now)
        #expect(try await service.send(request).status == 200)
        #expect(try await service.send(request).status == 400)
        #expect(try await control("last") == "used before")
        let asserted = try machine.asserting(.es256(machineKey), at: now)
        #expect(try await service.send(proofs.request(asserted.clientCredentials(), at: now)).status == 200)
        #expect(try await service.send(proofs.request(asserted.clientCredentials(), at: now)).status == 400)
        #expect(try await control("last").contains("used before"))
        let forged = try machine.asserting(.es256(ES256Key()), at: now)
        #expect(try await service.send(proofs.request(forged.clientCredentials(), at: now)).status == 400)
        #expect(try await control("last").contains("BadSignature"))
    }

    @Test("A source of tokens sends proofs and assertions by itself") func source() async throws {
        let source = OAuthTokenSource(
            "machine",
            client: try machine,
            grant: .clientCredentials,
            keys: ClientKeys(assertion: .es256(machineKey), proof: key)
        ) { [service] in try await service.send($0) }
        let token = try #require(try await source.token(for: TokenQuestion(origin: Origin(parsing: server.url))))
        var proofs = ProofOfPossession(key)
        #expect(try await items(&proofs, token) == 200)
    }
}
