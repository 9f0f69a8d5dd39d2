import CredentialStores
import Hostnames
import OAuth
import Sallyport
import Secrets
import Synchronization
import TestLimits
import Testing
import TokenProofs
import WireFormat

@testable import Authenticator
@testable import ChallengeHandling

/// A key that is made at the sign-in, and kept with the tokens that are bound to it.
@Suite(.inTurn) struct BoundTokenSourceTests {
    private final class Service: Sendable {
        let requests = Mutex<[TokenRequest]>([])
        /// What the service gives out.
        let type = Mutex("DPoP")
        /// How many requests get a nonce in place of a grant.
        let demands = Mutex(0)

        func answer(_ request: TokenRequest) throws -> TokenResponse {
            let count = requests.withLock { requests in
                requests.append(request)
                return requests.count
            }
            let isDemanded = demands.withLock { demands in
                demands -= 1
                return demands >= 0
            }
            let body =
                switch request.url.path {
                case "/device":
                    #"{"device_code":"d","user_code":"u","verification_uri":"https://login.acme.example/d","expires_in":600}"#
                case _ where isDemanded: #"{"error":"use_dpop_nonce"}"#
                default:
                    #"{"access_token":"a\#(count)","token_type":"\#(type.withLock { $0 })","expires_in":60,"refresh_token":"r\#(count)"}"#
                }
            let isRefused = isDemanded && request.url.path != "/device"
            return try TokenResponse(
                status: isRefused ? 400 : 200,
                body: Array(body.utf8).span,
                nonce: isRefused ? "n\(count)" : nil
            )
        }
    }

    private let service = Service()
    private let store = MemoryCredentialStore()
    private let question: TokenQuestion
    private let issuer: ServiceURL

    init() throws {
        question = TokenQuestion(origin: try Origin(parsing: "https://api.acme.example"))
        issuer = try ServiceURL("https://login.acme.example")
    }

    private func client(_ path: String = "/token") throws -> OAuthClient {
        OAuthClient(id: "app", tokenEndpoint: try ServiceURL("https://login.acme.example\(path)"))
    }

    private func source(
        _ grant: OAuthTokenSource.Grant = .refreshToken,
        keepsKey: Bool = true,
        at now: Int64 = 1_000
    ) throws -> OAuthTokenSource {
        let client = try client()
        return OAuthTokenSource(
            "tracker",
            issuer: issuer,
            grant: grant,
            wish: .init(),
            requiresTLS: true,
            store: store,
            keepsKey: keepsKey,
            service: { OAuthService(client: client) },
            clock: { now },
            send: { [service] in try service.answer($0) }
        )
    }

    private var grant: TokenGrant {
        TokenGrant(
            access: AccessToken(SharedSecret(utf8: "a0"), kind: .dpop, expiry: 2_000),
            refresh: SharedSecret(utf8: "r0")
        )
    }

    /// The public key in the proof of a request, and whether that has a nonce.
    private func proof(_ request: TokenRequest) throws -> (key: String, nonce: Bool) {
        let text = try #require(request.fields.first { $0.name == "DPoP" }?.value)
        let parts = try text.split(separator: ".").prefix(2).map { part in
            let standard = part.replacing("-", with: "+").replacing("_", with: "/")
            let padded = standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)
            return String(decoding: try Base64.decode(padded), as: UTF8.self)
        }
        return (parts[0], parts[1].contains(#""nonce":"n"#))
    }

    @Test("The next run of the program has the token, refreshes with the same key, and keeps what it gets") func kept()
        async throws
    {
        let key = ES256Key()
        try await source().signedIn(grant, key: key)
        let first = try #require(try await source().token(for: question))
        #expect(TokenWorld.text(first.secret) == "a0" && first.kind == .dpop)
        #expect(first.prover?.thumbprint == key.thumbprint && service.requests.withLock { $0.isEmpty })
        service.demands.withLock { $0 = 1 }
        let next = try #require(try await source(at: 3_000).token(for: question))
        #expect(next.prover?.thumbprint == key.thumbprint)
        let requests = service.requests.withLock { $0 }
        #expect(requests.count == 2)
        for (request, hasNonce) in zip(requests, [false, true]) {
            let proof = try proof(request)
            #expect(proof.key.contains(key.publicKey) && proof.nonce == hasNonce)
        }
        let later = try #require(try await source(at: 3_000).token(for: question))
        #expect(later.secret.isSame(as: next.secret) && service.requests.withLock { $0.count } == 2)
    }

    @Test("Without its key a refresh token is not sent, and the user signs in again") func lostKey() async throws {
        let key = ES256Key()
        try await source().signedIn(grant, key: key)
        for record in try await store.list() where record.name.kind == .proofKey {
            try await store.remove(record.name)
        }
        await #expect(throws: OAuthTokenError.noKey("tracker")) { try await source().token(for: question) }
        #expect(service.requests.withLock { $0.isEmpty })
    }

    @Test("A token of another key, and a bearer token, are not used from the store") func otherKinds() async throws {
        try await source().signedIn(grant, key: ES256Key())
        let other = ES256Key()
        for record in try await store.list() where record.name.kind == .proofKey {
            try await store.save(StoredCredential(name: record.name, secret: other.secret, created: 0))
        }
        #expect(try await source().token(for: question)?.prover?.thumbprint == other.thumbprint)
        #expect(service.requests.withLock { $0.count } == 1)
        let bearer = TokenGrant(access: AccessToken(SharedSecret(utf8: "b0")), refresh: SharedSecret(utf8: "r0"))
        await #expect(throws: OAuthTokenError.notBound("tracker")) {
            try await source().signedIn(bearer, key: ES256Key())
        }
    }

    @Test("An application makes its key with its first token, and a sign-out forgets it") func application()
        async throws
    {
        let token = try #require(try await source(.clientCredentials).token(for: question))
        let again = try #require(try await source(.clientCredentials).token(for: question))
        #expect(again.secret.isSame(as: token.secret) && again.prover?.thumbprint == token.prover?.thumbprint)
        _ = try await source(.clientCredentials).signOut()
        #expect(try await store.list().isEmpty)
        service.type.withLock { $0 = "Bearer" }
        await #expect(throws: OAuthTokenError.notBound("tracker")) {
            try await source(.clientCredentials).token(for: question)
        }
    }

    @Test("On another device: the questions about the code have proofs, with the service's nonce") func device()
        async throws
    {
        service.demands.withLock { $0 = 2 }
        let key = ES256Key()
        let grant = try await DeviceAuthorization.signIn(
            client(),
            at: ServiceURL("https://login.acme.example/device"),
            .init(),
            keys: ClientKeys(proof: key),
            send: { [service] in try service.answer($0) },
            clock: { 1_000 },
            sleep: { _ in },
            show: { _ in }
        )
        #expect(grant.access.kind == .dpop)
        let asked = service.requests.withLock { $0.filter { $0.url.path == "/token" } }
        #expect(try asked.map { try proof($0).nonce } == [false, true])
    }
}
