import CredentialStores
import Hostnames
import OAuth
import Sallyport
import Secrets
import Synchronization
import TestLimits
import Testing
import TokenProofs

@testable import Authenticator
@testable import ChallengeHandling

@Suite(.inTurn) struct ClientKeysTests {
    private let question: TokenQuestion
    private let client: OAuthClient

    init() throws {
        question = TokenQuestion(origin: try Origin(parsing: "https://api.acme.example"))
        client = OAuthClient(id: "sallyport", tokenEndpoint: try ServiceURL("https://login.acme.example/token"))
    }

    /// A source at a service that answers with `replies`, one after the other, and what it was asked.
    private func source(_ keys: ClientKeys, _ replies: [(Int, String, String?)]) -> (
        OAuthTokenSource, @Sendable () -> [TokenRequest]
    ) {
        let asked = Asked()
        let source = OAuthTokenSource(
            "sallyport",
            client: client,
            grant: .clientCredentials,
            keys: keys,
            clock: { 1_000 },
            send: { request in
                let number = asked.requests.withLock { requests in
                    requests.append(request)
                    return requests.count - 1
                }
                let (status, body, nonce) = replies[min(number, replies.count - 1)]
                return try TokenResponse(status: status, body: Array(body.utf8).span, nonce: nonce)
            }
        )
        return (source, { asked.requests.withLock { $0 } })
    }

    private final class Asked: Sendable { let requests = Mutex<[TokenRequest]>([]) }

    @Test("A bearer token in place of one that is bound to the key is refused") func bearer() async throws {
        let reply = (200, #"{"access_token":"a","token_type":"Bearer"}"#, nil as String?)
        let (source, _) = source(ClientKeys(proof: ES256Key()), [reply])
        await #expect(throws: OAuthTokenError.notBound("sallyport")) { try await source.token(for: question) }
    }

    @Test("The service's nonce is a reason to ask once more, and each request has a proof and an assertion of its own")
    func nonce() async throws {
        let wants = (400, #"{"error":"use_dpop_nonce"}"#, "n1" as String?)
        let grant = (200, #"{"access_token":"a","token_type":"DPoP"}"#, nil as String?)
        let keys = ClientKeys(assertion: .es256(ES256Key()), proof: ES256Key())
        let (source, asked) = source(keys, [wants, grant])
        let token = try #require(try await source.token(for: question))
        #expect(token.kind == .dpop)
        let requests = asked()
        #expect(requests.count == 2)
        #expect(Set(requests.map { $0.fields.filter { $0.name == "DPoP" }.map(\.value) }).count == 2)
        #expect(Set(requests.map { TokenWorld.text($0.body) }).count == 2)
    }

    @Test("A service that always wants another nonce is asked twice") func endless() async throws {
        let wants = (400, #"{"error":"use_dpop_nonce"}"#, "n1" as String?)
        let (source, asked) = source(
            ClientKeys(proof: ES256Key()),
            [wants, (400, #"{"error":"use_dpop_nonce"}"#, "n2")]
        )
        await #expect(throws: TokenServiceError.self) { try await source.token(for: question) }
        #expect(asked().count == 2)
    }
}
