import Synchronization
import Testing
import Tokens

@testable import ChallengeHandling
@testable import Sallyport

@Suite struct ServiceDiscoveryTests {
    private func discovery(_ documents: [String: String], _ asked: Asked = Asked()) -> ServiceDiscovery {
        ServiceDiscovery { request in
            asked.targets.withLock { $0.append(request.url.target) }
            let body = documents[request.url.target]
            return try TokenResponse(status: body == nil ? 404 : 200, body: Array((body ?? "no").utf8).span)
        }
    }

    private final class Asked: Sendable { let targets = Mutex<[String]>([]) }

    private static let document = #"{"issuer":"https://a.example/t","token_endpoint":"https://a.example/token"}"#

    @Test("The document of RFC 8414 comes first, then that of OpenID Connect") func order() async throws {
        let issuer = try ServiceURL("https://a.example/t")
        let places = ["/.well-known/oauth-authorization-server/t", "/t/.well-known/openid-configuration"]
        for (number, place) in places.enumerated() {
            let asked = Asked()
            let metadata = try await discovery([place: Self.document], asked).metadata(of: issuer)
            #expect(metadata.tokenEndpoint.path == "/token")
            #expect(asked.targets.withLock { $0 } == Array(places[...number]))
        }
        await #expect(throws: TokenServiceError.status(404)) { try await discovery([:]).metadata(of: issuer) }
    }

    @Test("A resource names its service (RFC 9728 section 3.1)") func resource() async throws {
        let place = "/.well-known/oauth-protected-resource/r/x"
        func found(_ servers: String, _ resource: String = "https://api.example/r/x") async throws -> ServiceURL {
            try await discovery([place: #"{"resource":"\#(resource)","authorization_servers":[\#(servers)]}"#])
                .issuer(of: ServiceURL("https://api.example/r/x"))
        }
        #expect(try await found(#""https://a.example""#) == ServiceURL("https://a.example"))
        await #expect(throws: DiscoveryError.noService(try ServiceURL("https://api.example/r/x"))) {
            try await found("")
        }
        await #expect(throws: DiscoveryError.self) { try await found(#""https://a.example","https://b.example""#) }
        await #expect(throws: TokenServiceError.self) {
            try await found(#""https://a.example""#, "https://b.example/r/x")
        }
    }
}
