import Foundation
import LiveServers
import OAuth
import Sallyport
import SallyportClient
import TestSupport
import Testing

/// The token rows of the table of ArcGIS's capabilities, by number, at the servers of `arcgis-portal`: what gives a token, and where it is sent.
@Suite(.inTurn, .serialized, .needs(.python))
struct ArcGISTokenTests {
    private let world: ArcGISWorld

    init() throws { world = try ArcGISWorld() }

    @Test("Esri's client for Python does at these servers what it may, and nothing else", .needs(.arcgis))
    func esriClient() throws {
        #expect(
            try world.servers.esriClient() == [
                "GIS by OAuth: jdoe", "portal: Acme", "GIS by generateToken: jdoe", "server alone: jdoe",
                "federated server: jdoe", "application: worker", "code with PKCE: jdoe", "wrong password: True",
                "no token: 499",
            ]
        )
    }

    @Test("Row 33: three roads to a token: a key, a user, an application", .row(33)) func roads() async throws {
        let item = world.item
        func title(_ source: any TokenSource) async throws -> String {
            let client = try world.client(world.place(source, world.servers.portal, first: true))
            defer { client.shutDown() }
            return try await world.get(client, item)
        }
        #expect(try await title(world.user()).contains(#""owner": "jdoe""#))
        #expect(try await title(world.application()).contains(#""owner": "worker""#))
        let question = TokenQuestion(origin: world.portal.root.origin)
        let token = try #require(try await world.user().token(for: question))
        #expect(try await title(FixedTokenSource(token)).contains("Parcels"))
    }

    @Test("Row 35: the key of the most specific place is sent", .row(35)) func keys() async throws {
        let token = try #require(try await world.user().token(for: TokenQuestion(origin: world.portal.root.origin)))
        let wrong = FixedTokenSource(AccessToken(SharedSecret(utf8: "app-wide")))
        let client = try world.client(
            world.place(wrong, world.servers.portal, first: true),
            world.place(FixedTokenSource(token), world.servers.portal + "/sharing/rest/content", first: true)
        )
        defer { client.shutDown() }
        #expect(try await world.get(client, world.item).contains("Parcels"))
        #expect(try await world.get(client, world.servers.portal + "/sharing/rest/community/self").contains("498"))
    }

    @Test("Rows 36 and 59: a token that was made for a referer opens with that referer alone", .row(36, 59))
    func referer()
        async throws
    {
        let referer = "https://app.acme.example"
        let question = TokenQuestion(origin: world.portal.root.origin)
        let made = try #require(try await world.user(.referer(referer)).token(for: question))
        for (sent, opens) in [(referer, true), ("https://other.acme.example", false), (nil, false)] {
            let place = world.place(FixedTokenSource(made), world.servers.portal, first: true, referer: sent)
            let client = try world.client(place)
            defer { client.shutDown() }
            #expect(try await world.get(client, world.item).contains("Parcels") == opens)
        }
    }

    @Test("Rows 37 and 57: generateToken names minutes, and the token ends with them", .row(37, 57)) func minutes()
        async throws
    {
        let question = TokenQuestion(origin: world.portal.root.origin)
        // The server cuts a wish down to 15 days.
        for (minutes, seconds) in [(5, 300), (90, 5_400), (1_000_000, 15 * 86_400)] as [(Int, Int64)] {
            let before = Int64(Date().timeIntervalSince1970)
            let token = try #require(try await world.user(minutes: minutes).token(for: question))
            let after = Int64(Date().timeIntervalSince1970)
            let expiry = try #require(token.expiry)
            #expect((before + seconds...after + seconds).contains(expiry), "\(minutes) minutes")
            #expect(token.isValid(at: expiry - 1) && !token.isValid(at: expiry))
        }
        // Until then one token serves all requests.
        let source = world.user(minutes: 5)
        let first = try #require(try await source.token(for: question))
        for _ in 0..<3 {
            let next = try #require(try await source.token(for: question))
            #expect(ArcGISWorld.bytes(next.secret) == ArcGISWorld.bytes(first.secret))
        }
        #expect(try await world.control("count/generate") == "4")
    }

    @Test("Row 57: a wrong password is sent once, whatever the number of requests", .row(57)) func wrongPassword()
        async throws
    {
        let client = try world.client(world.place(world.user(password: "wrong"), world.servers.portal))
        defer { client.shutDown() }
        for _ in 0..<5 {
            do {
                _ = try await world.get(client, world.item)
                Issue.record("it was let in")
            } catch TokenServiceError.refused(let refusal) {
                #expect(refusal.text == "Unable to generate token.; Invalid username or password.")
            }
        }
        #expect(try await world.control("count/wrong-password") == "1")
    }

    @Test("Row 49: any type may bring tokens", .row(49)) func ownSource() async throws {
        struct Own: TokenSource {
            let portal: ArcGISPortal
            let service: TokenService
            func token(for question: TokenQuestion) async throws -> AccessToken? {
                let request = portal.generateToken(
                    user: ArcGISServers.user,
                    password: ArcGISWorld.password,
                    for: .address("127.0.0.1")
                )
                return try portal.token(
                    from: await service.send(request),
                    at: Int64(Date().timeIntervalSince1970)
                )
            }
        }
        let client = try world.client(
            world.place(Own(portal: world.portal, service: world.service), world.servers.portal)
        )
        defer { client.shutDown() }
        #expect(try await world.get(client, world.item).contains("Parcels"))
    }

    @Test("Row 55: the most specific place names the account, at its sites alone", .row(55)) func configuration()
        async throws
    {
        let client = try world.client(
            world.place(world.user(), world.servers.portal, first: true),
            world.place(world.application(), world.servers.portal + "/sharing/rest/content", first: true)
        )
        defer { client.shutDown() }
        #expect(try await world.get(client, world.item).contains(#""owner": "worker""#))
        let me = world.servers.portal + "/sharing/rest/community/self?f=json"
        #expect(try await world.get(client, me).contains(#""username": "jdoe""#))
        // No token goes to the server.
        #expect(try await world.get(client, world.map).contains("499"))
    }

    @Test("Row 58: the credentials of an application, and a wrong secret", .row(58)) func application() async throws {
        let question = TokenQuestion(origin: world.portal.root.origin)
        let token = try #require(try await world.application().token(for: question))
        let about = try ArcGISTokenInformation(await world.service.send(world.portal.information(about: token)))
        #expect(about.application == "worker" && about.user == nil)
        let source = world.application(secret: "wrong")
        await #expect(throws: TokenServiceError.self) { try await source.token(for: question) }
    }

    @Test(
        "Row 60: a token that needs TLS is not sent over plain http, also where the place would allow it; another one is",
        .row(60),
        arguments: [true, false]
    )
    func requiresTLS(requiresTLS: Bool) async throws {
        let plain = try #require(world.servers.control.split(separator: "/control").first.map(String.init))
        let secure = "\(world.portal.root.origin)"
        var place = AccountPlace(name: "both", sites: [plain, secure])
        place.tokens = FixedTokenSource(AccessToken(SharedSecret(utf8: "t0ken"), requiresTLS: requiresTLS))
        (place.sendsTokenFirst, place.allowsCleartext) = (true, true)
        let sites = try SiteList(parsing: "\(plain)\n\(secure)", name: "both")
        let profile = SecurityProfile(sites: sites, schemes: [.basic])
        let authenticator = try Authenticator(
            CurrentHandler(ChallengeHandler(profile: profile, at: 0)),
            options: AuthenticatorOptions(places: [place])
        )
        for (origin, sends) in [(plain, !requiresTLS), (secure, true)] {
            let request = OutgoingRequest(origin: try Origin(parsing: origin), target: "/")
            try await authenticator.prepare(request)
            var authentication = authenticator.current.handler.authentication(of: request)
            guard case .send(let sending) = authentication.begin() else {
                Issue.record("it waits")
                return
            }
            #expect(sending.authorization?.value == (sends ? "Bearer t0ken" : nil), "\(origin)")
        }
    }
}
