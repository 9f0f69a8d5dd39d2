import OAuth
import Sallyport
import Synchronization
import TestLimits
import Testing

@testable import Authenticator
@testable import ChallengeHandling

@Suite(.inTurn) struct ServiceDiscoveryTests {
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
        let places = [
            "/.well-known/oauth-authorization-server/t", "/t/.well-known/openid-configuration",
            "/.well-known/openid-configuration/t",
        ]
        for (number, place) in places.enumerated() {
            let asked = Asked()
            let metadata = try await discovery([place: Self.document], asked).metadata(of: issuer)
            #expect(metadata.tokenEndpoint.path == "/token")
            #expect(asked.targets.withLock { $0 } == Array(places[...number]))
        }
        await #expect(throws: TokenServiceError.status(404)) { try await discovery([:]).metadata(of: issuer) }
    }

    /// What services without the document of RFC 8414 answer in its place.
    @Test(
        "A page, an empty object or a redirect in the first place leads to the second",
        arguments: [
            (200, "<html>Welcome</html>"), (200, "{}"), (200, ""), (301, ""), (302, "<html>"), (403, "no"),
            (200, #"{"issuer":null}"#), (500, "<html>Whitelabel Error Page"), (503, ""),
        ]
    )
    func fallback(status: Int, body: String) async throws {
        let discovery = ServiceDiscovery { request in
            let isFirst = request.url.target.hasPrefix("/.well-known/oauth")
            return try TokenResponse(
                status: isFirst ? status : 200,
                body: Array((isFirst ? body : Self.document).utf8).span
            )
        }
        #expect(try await discovery.metadata(of: ServiceURL("https://a.example/t")).tokenEndpoint.path == "/token")
    }

    @Test(
        "The document of another service ends the search",
        arguments: ["/.well-known/oauth-authorization-server/t", "/t/.well-known/openid-configuration"]
    ) func ends(place: String) async throws {
        let asked = Asked()
        let other = #"{"issuer":"https://b.example","token_endpoint":"https://b.example/token"}"#
        await #expect {
            try await discovery([place: other], asked).metadata(of: ServiceURL("https://a.example/t"))
        } throws: {
            if case .unusable("issuer", _) = $0 as? TokenServiceError { true } else { false }
        }
        #expect(asked.targets.withLock { $0.last } == place)
    }

    @Test("A service that is down in one place of three is called down", arguments: [0, 1, 2])
    func down(place: Int) async throws {
        let asked = Asked()
        let discovery = ServiceDiscovery { request in
            let number = asked.targets.withLock { targets in
                targets.append(request.url.target)
                return targets.count - 1
            }
            return try TokenResponse(status: number == place ? 503 : 404, body: Array("no".utf8).span)
        }
        await #expect(throws: TokenServiceError.status(503)) {
            try await discovery.metadata(of: ServiceURL("https://a.example/t"))
        }
        #expect(asked.targets.withLock { $0.count } == 3)
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
