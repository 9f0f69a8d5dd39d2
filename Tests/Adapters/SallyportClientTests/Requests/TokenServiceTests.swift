import Hostnames
import LiveServers
import NIOCore
import NIOHTTP1
import OAuth
import Sallyport
import Secrets
import Synchronization
import Testing

@testable import SallyportClient

/// Requests to token services over connections.
@Suite(.inTurn) struct TokenServiceTests {
    private static func json(_ body: String, status: String = "200 OK", _ more: String = "") -> ScriptedServer.Reply {
        .send(
            "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n\(more)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
    }

    private static func client(_ server: ScriptedServer) throws -> OAuthClient {
        OAuthClient(
            id: "s6BhdRkqt3",
            authentication: .basic(SharedSecret(utf8: "gX1fBat3bV")),
            tokenEndpoint: try ServiceURL("\(server.origin)/token?tenant=acme")
        )
    }

    @Test("The request of RFC 6749 section 4.4.2 arrives, and its response is a grant") func grant() async throws {
        let server = try await ScriptedServer { _ in
            Self.json(#"{"access_token":"a1","token_type":"Bearer","expires_in":60}"#)
        }
        defer { server.stop() }
        let client = try Self.client(server)
        let response = try await TokenService.patient(tls: nil).send(client.clientCredentials())
        let grant = try client.grant(from: response, at: 1_000)
        #expect(grant.access.expiry == 1_060)
        let request = try #require(server.requests.first)
        #expect(request.head.hasPrefix("POST /token?tenant=acme HTTP/1.1"))
        #expect(request.field("Authorization") == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")
        #expect(request.field("Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.body == "grant_type=client_credentials")
    }

    @Test("Each request has a connection of its own") func connections() async throws {
        let server = try await ScriptedServer { _ in Self.json("{}") }
        defer { server.stop() }
        let service = try TokenService.patient(tls: nil)
        for _ in 0..<3 { _ = try await service.send(Self.client(server).clientCredentials()) }
        #expect(server.connections == 3)
    }

    @Test(
        "No redirect is followed, and no challenge is answered",
        arguments: ["307 Temporary Redirect", "401 Unauthorized"]
    )
    func onlyOnce(status: String) async throws {
        let server = try await ScriptedServer { request in
            Self.json(
                "{}",
                status: status,
                "Location: http://\(request.field("Host") ?? "")/other\r\nWWW-Authenticate: Basic realm=\"x\"\r\n"
            )
        }
        defer { server.stop() }
        let response = try await TokenService.patient(tls: nil).send(Self.client(server).clientCredentials())
        #expect("\(response.status)" == status.prefix(3))
        #expect(server.requests.count == 1)
    }

    @Test("No proxy reads a secret for a service of this machine") func proxy() async throws {
        let server = try await ScriptedServer { _ in Self.json("{}") }
        defer { server.stop() }
        let proxy = try await ScriptedServer { _ in Self.json("{}") }
        defer { proxy.stop() }
        var settings = ClientSettings.patient
        settings.proxy = { [text = "\(proxy.origin)"] _ in try? Origin(parsing: text) }
        _ = try await TokenService.patient(tls: nil, settings: settings).send(
            Self.client(server).clientCredentials()
        )
        #expect(proxy.requests.isEmpty && server.requests.count == 1)
    }

    @Test("A request whose response is lost is not sent again") func lost() async throws {
        let server = try await ScriptedServer { _ in .close }
        defer { server.stop() }
        let service = try TokenService.patient(tls: nil)
        for _ in 0..<2 {
            await #expect(throws: ClientError.self) { try await service.send(Self.client(server).clientCredentials()) }
        }
        #expect(server.requests.count == 2)
    }

    @Test("A long response and a slow one are errors") func bounds() async throws {
        let long = try await ScriptedServer { _ in
            Self.json(String(repeating: " ", count: TokenLimits.responseBytes + 1))
        }
        defer { long.stop() }
        await #expect(throws: ClientError.bodyTooLong(limit: TokenLimits.responseBytes)) {
            try await TokenService.patient(tls: nil).send(Self.client(long).clientCredentials())
        }
        let slow = try await ScriptedServer { _ in .hang }
        defer { slow.stop() }
        // Long enough for the connection, whose own limit is another error, and nothing else happens in it.
        await #expect(throws: ClientError.deadlineExceeded) {
            try await TokenService.patient(tls: nil, limit: .seconds(20)).send(
                Self.client(slow).clientCredentials()
            )
        }
    }

    @Test("A client with a place for tokens sends them before its first request, and the next ones after a revocation")
    func client() async throws {
        let good = Mutex("a1")
        let server = try await ScriptedServer { request in
            let token = good.withLock { $0 }
            if request.target.hasPrefix("/token") {
                return Self.json(#"{"access_token":"\#(token)","token_type":"Bearer","expires_in":3600}"#)
            }
            guard request.field("Authorization") == "Bearer \(token)" else {
                return Self.json(
                    "{}",
                    status: "401 Unauthorized",
                    "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n"
                )
            }
            return Self.json("{}")
        }
        defer { server.stop() }
        let service = try TokenService.patient(tls: nil)
        var place = AccountPlace(name: "tracker", sites: ["\(server.origin)"])
        place.tokens = OAuthTokenSource(
            "tracker",
            client: try Self.client(server),
            grant: .clientCredentials,
            requiresTLS: false
        ) { try await service.send($0) }
        (place.sendsTokenFirst, place.allowsCleartext) = (true, true)
        let profile = SecurityProfile(sites: try SiteList(parsing: "\(server.origin)", name: "test"), schemes: [.basic])
        let authenticator = try Authenticator(
            CurrentHandler(ChallengeHandler(profile: profile, at: 0)),
            options: AuthenticatorOptions(places: [place])
        )
        let client = AuthenticatedClient(authenticator, settings: .patient)
        defer { client.shutDown() }
        for token in ["a1", "a1", "a2", "a2"] {
            good.withLock { $0 = token }
            let response = try await client.execute(ClientRequest(url: "\(server.origin)/v1/items"))
            #expect(response.status == .ok)
            _ = try await response.body.collect(upTo: 1_000)
        }
        let targets = server.requests.map { $0.target.hasPrefix("/token") ? "token" : $0.field("Authorization") ?? "" }
        #expect(targets == ["token", "Bearer a1", "Bearer a1", "Bearer a1", "token", "Bearer a2", "Bearer a2"])
    }
}
