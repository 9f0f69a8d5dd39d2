import LiveServers
import OAuth
import Sallyport
import SallyportClient
import SallyportNIO
import Synchronization
import TestSupport
import Testing

/// The servers beside the portal, and certificates that no authority vouches for: rows 67 and 68.
@Suite(.inTurn, .serialized, .needs(.python))
struct ArcGISServerTests {
    private let world: ArcGISWorld

    init() throws { world = try ArcGISWorld() }

    @Test("A federated server takes the token that its portal gives for one of its own, and no other") func federation()
        async throws
    {
        let server = try ServiceURL(world.servers.server + "/rest")
        let about = try ArcGISServerInformation(await world.service.send(ArcGISPortal.information(of: server)))
        #expect(about.isServed(by: world.portal))
        #expect(!about.isServed(by: ArcGISPortal(root: try ServiceURL(world.servers.server + "/sharing/rest"))))
        let user = world.user()
        let grant = ArcGISTokenSource.Grant.federated(server: server, portal: user)
        let source = ArcGISTokenSource("server", world.portal, grant: grant, send: world.sender)
        let client = try world.client(world.place(source, world.servers.server))
        defer { client.shutDown() }
        #expect(try await world.get(client, world.map).contains(#""user": "jdoe""#))
        // The portal has ended its own token too: the portal's source is asked again.
        #expect(try await world.control("end-tokens") == "done")
        #expect(try await world.get(client, world.map).contains(#""user": "jdoe""#))
        // A server of which the portal knows nothing gets no token.
        let foreign = ArcGISTokenSource(
            "foreign",
            world.portal,
            grant: .federated(server: try ServiceURL("https://gis.other.example/server"), portal: user),
            send: world.sender
        )
        await #expect(throws: TokenServiceError.self) {
            try await foreign.token(for: TokenQuestion(origin: server.origin))
        }
    }

    @Test("A server that stands alone names its own token service") func alone() async throws {
        let server = try ServiceURL(world.servers.alone + "/rest")
        let about = try ArcGISServerInformation(await world.service.send(ArcGISPortal.information(of: server)))
        #expect(about.portal == nil)
        let service = ArcGISPortal(tokenService: try #require(about.tokenService))
        let source = ArcGISTokenSource(
            "alone",
            service,
            grant: .password(user: ArcGISServers.user, ArcGISWorld.password),
            send: world.sender
        )
        let client = try world.client(world.place(source, world.servers.alone))
        defer { client.shutDown() }
        let map = world.servers.alone + "/rest/services/Parcels/MapServer?f=json"
        #expect(try await world.get(client, map).contains(#""user": "jdoe""#))
    }

    @Test("Row 68: a certificate that no authority vouches for ends the request before any token is sent", .row(68))
    func untrusted() async throws {
        let client = AuthenticatedClient(
            try world.authenticator(world.place(world.user(), world.servers.portal)),
            settings: .patient,
            tls: try TLSConnector(.patient, world.current)
        )
        defer { client.shutDown() }
        await #expect(throws: TLSError.self) { try await world.get(client, world.item) }
        #expect(try await world.control("count/499") == "0")
    }

    @Test("Row 67: a person trusts one key at one host; another host, or another key, is another question", .row(67))
    func trusted() async throws {
        let others = try ArcGISServers()
        let portal = world.portal.root.origin
        let (server, other) = (try ServiceURL(world.servers.server).origin, try ServiceURL(others.portal).origin)
        let named = try Origin(parsing: "https://localhost:\(portal.port)")
        try #require(server.host == portal.host && other.host == portal.host && named.host != portal.host)
        let rules = [portal, server, other, named].map { "\($0)" }.joined(separator: "\n")
        let profile = SecurityProfile(sites: try SiteList(parsing: rules, name: "arcgis"), schemes: [.basic])
        let current = CurrentHandler(try ChallengeHandler(profile: profile, at: 0))
        let asked = Mutex<[UntrustedServer]>([])
        var options = AuthenticatorOptions()
        options.places = [world.place(world.user(), world.servers.portal)]
        let authenticator = try Authenticator(
            current,
            serverTrust: { question in
                asked.withLock { asked in
                    asked.append(question)
                    return asked.count == 1 ? .trust(until: .max) : .cancel
                }
            },
            options: options
        )
        let client = AuthenticatedClient(authenticator, settings: .patient, tls: try TLSConnector(.patient, current))
        defer { client.shutDown() }
        for _ in 0..<3 { #expect(try await world.get(client, world.item).contains("Parcels")) }
        // The same key on another port of the host.
        #expect(try await world.get(client, world.servers.server + "/rest/info").contains("11.3"))
        #expect(asked.withLock { $0.map(\.origin) } == [portal])
        for refused in [named, other] {
            await #expect(throws: TLSError.self) { try await world.get(client, "\(refused)/portal/sharing/rest") }
        }
        let questions = asked.withLock { $0 }
        #expect(questions.map(\.origin) == [portal, named, other])
        #expect(questions.map { $0.pin == questions[0].pin } == [true, true, false])
        // What was refused takes nothing from what is trusted.
        client.closeIdleConnections()
        #expect(try await world.get(client, world.item).contains("Parcels"))
        #expect(asked.withLock { $0.count } == 3)
    }
}
