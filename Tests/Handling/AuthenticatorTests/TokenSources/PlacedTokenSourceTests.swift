import CredentialStores
import HTTPTypes
import Hostnames
import LiveServers
import OAuth
import Sallyport
import Secrets
import Synchronization
import Testing

@testable import Authenticator
@testable import ChallengeHandling

/// Places whose tokens go with each request, beside an account that answers challenges, and ID tokens.
@Suite(.inTurn) struct PlacedTokenSourceTests {
    /// Tokens `t1`, `t2` and so on, each for 100 seconds.
    private final class NumberedTokens: TokenSource {
        let count = Atomic(0)
        let clock: @Sendable () -> Int64
        init(_ clock: @escaping @Sendable () -> Int64) { self.clock = clock }

        func token(for question: TokenQuestion) async throws -> AccessToken? {
            let number = count.add(1, ordering: .relaxed).newValue
            return AccessToken(SharedSecret(utf8: "t\(number)"), expiry: clock() + 100)
        }
    }

    private let world = TokenWorld()
    private let request: OutgoingRequest

    init() throws { request = OutgoingRequest(origin: try Origin(parsing: "https://api.acme.example")) }

    private func authenticator(_ source: any TokenSource) throws -> Authenticator {
        try world.authenticator(source) { options in
            options.places[0].placement = TokenPlacement(.field("X-Esri-Authorization"))
            options.tokenMargin = .seconds(30)
            options.places[0].readsArcGISErrors = true
        }
    }

    /// What the request carries, and how it ends with a status.
    private func once(_ authenticator: Authenticator, _ status: Int, _ fields: HTTPFields = [:]) async throws -> (
        token: String?, advice: AuthenticatorAdvice
    ) {
        try await authenticator.prepare(request)
        let handler = authenticator.current.handler
        var authentication = handler.authentication(of: request)
        guard case .send(let sending) = authentication.begin() else { throw CancellationError() }
        let step = authentication.received(status: status, fields: fields)
        guard case .deliver(let outcome) = step else { throw CancellationError() }
        let asks = authenticator.noteEnd(outcome, of: request, with: handler, canRepeat: true)
        var advice = AuthenticatorAdvice.deliver
        if asks {
            advice = try await authenticator.advice(
                after: outcome,
                of: request,
                fields: fields,
                with: handler,
                repetitions: 0
            )
        }
        return (sending.fields.first?.value, advice)
    }

    @Test("The first token comes before the request, and the next one before its end and after a refusal")
    func renewed() async throws {
        let source = NumberedTokens { [world] in world.state.withLock { $0.now } }
        let authenticator = try authenticator(source)
        #expect(try await once(authenticator, 200) == ("Bearer t1", .deliver))
        #expect(try await once(authenticator, 200).token == "Bearer t1")
        world.passes(75)
        #expect(try await once(authenticator, 200).token == "Bearer t2")
        let fields: HTTPFields = [.wwwAuthenticate: #"Bearer error="invalid_token""#]
        #expect(try await once(authenticator, 401, fields) == ("Bearer t2", .repeatRequest))
        #expect(try await once(authenticator, 200).token == "Bearer t3")
        #expect(authenticator.accounts.map(\.name) == ["tracker"])
    }

    @Test("An error of ArcGIS in a body is about the token that went along") func body() async throws {
        let authenticator = try authenticator(NumberedTokens { 1_000 })
        _ = try await once(authenticator, 200)
        #expect(authenticator.mayBeRefusedInBody(request))
        let space = ProtectionSpace(origin: request.origin, path: "/", kind: .http(schemes: [.basic], party: .origin))
        // A person may still be asked for the password of the web tier.
        #expect(authenticator.tokenPlace(at: request.origin, path: "/") == nil)
        #expect(authenticator.current.handler.account(for: space) == nil)
    }

    @Test("The ID token of a grant takes the place of its access token, is kept as one, and its lack is an error")
    func idTokens() async throws {
        // {"alg":"none"} . {"exp":5000,"aud":"iap-client"} of GNU basenc --base64url, with a signature of three bytes.
        let text = "eyJhbGciOiJub25lIn0.eyJleHAiOjUwMDAsImF1ZCI6ImlhcC1jbGllbnQifQ.YWJj"
        let store = MemoryCredentialStore()
        let asked = Mutex<[String]>([])
        func source(wantsIDToken: Bool, sendsIt: Bool = true) throws -> OAuthTokenSource {
            OAuthTokenSource(
                "tracker",
                issuer: try ServiceURL("https://login.acme.example"),
                grant: .clientCredentials,
                wish: OAuthClient.Wish(audience: "iap-client", wantsIDToken: wantsIDToken),
                requiresTLS: true,
                store: store,
                service: {
                    let endpoint = try ServiceURL("https://login.acme.example/token")
                    return OAuthService(
                        client: OAuthClient(id: "app", tokenEndpoint: endpoint),
                        revocationEndpoint: nil
                    )
                },
                clock: { 1_000 },
                send: { request in
                    asked.withLock { $0.append(TokenWorld.text(request.body)) }
                    let more = sendsIt ? #","id_token":"\#(text)""# : ""
                    let body = #"{"access_token":"a1","token_type":"Bearer","expires_in":60\#(more)}"#
                    return try TokenResponse(status: 200, body: Array(body.utf8).span)
                }
            )
        }
        let question = TokenQuestion(origin: request.origin)
        let token = try #require(try await source(wantsIDToken: true).token(for: question))
        #expect(TokenWorld.text(token.secret) == text && token.expiry == 5_000)
        #expect(asked.withLock { $0 } == ["grant_type=client_credentials&audience=iap-client&client_id=app"])
        // Another run of the program uses it, and one that wants access tokens does not.
        _ = try await source(wantsIDToken: true).token(for: question)
        #expect(asked.withLock { $0.count } == 1)
        let access = try #require(try await source(wantsIDToken: false).token(for: question))
        #expect(TokenWorld.text(access.secret) == "a1" && access.expiry == 1_060)
        await #expect(throws: OAuthTokenError.noIDToken("tracker")) {
            try await source(wantsIDToken: true, sendsIt: false).token(for: question)
        }
    }
}
