import CredentialStores
import Foundation
import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportNIO
import Synchronization
import TestSupport
import Testing

/// The token rows of the table of ArcGIS's capabilities, by number, at the servers of `arcgis-portal`.
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

    @Test("Row 33: three roads to a token: a key, a user, an application") func roads() async throws {
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

    @Test("Row 35: the key of the most specific place is sent") func keys() async throws {
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

    @Test("Rows 36 and 59: a token that was made for a referer opens with that referer alone") func referer()
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

    @Test("Rows 37 and 57: generateToken names minutes, and the token ends with them") func minutes() async throws {
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
            #expect(bytes(next.secret) == bytes(first.secret))
        }
        #expect(try await world.control("count/generate") == "4")
    }

    @Test("Row 57: a wrong password is sent once, whatever the number of requests") func wrongPassword() async throws {
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

    @Test("Rows 42, 56 and 61: a sign-in with the code, and a start with its refresh token from a sealed store")
    func persistence() async throws {
        let folder = TemporaryFolder.place("arcgis-store")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }
        try StoreKey.makeKeyFile(at: path("key"))
        let key = StoreKey.keyFile(path: path("key"))
        do {
            let store = try await SealedFileStore.create(at: path("store"), key: key, now: 0)
            try await world.signedIn(store).signedIn(try await world.signIn())
        }
        let store = try await SealedFileStore.open(at: path("store"), key: key)
        let client = try world.client(world.place(world.signedIn(store), world.servers.portal, first: true))
        defer { client.shutDown() }
        #expect(try await world.get(client, world.item).contains(#""owner": "jdoe""#))
        #expect(try await world.control("count/499") == "0")
    }

    @Test("Rows 44, 45 and 70: a sign-out revokes, clears, and reports each") func signOut() async throws {
        let store = MemoryCredentialStore()
        let source = world.signedIn(store)
        let grant = try await world.signIn()
        try await source.signedIn(grant)
        let authenticator = try world.authenticator(world.place(source, world.servers.portal, first: true))
        let client = AuthenticatedClient(authenticator, settings: .patient, tls: world.tls)
        defer { client.shutDown() }
        #expect(try await world.get(client, world.item).contains("Parcels"))
        let report = await authenticator.signOut()
        #expect(report.revokedTokens == [world.servers.portal] && report.failures.isEmpty)
        #expect(try await world.control("count/revoke") == "1")
        #expect(try await store.list().isEmpty)
        // The service has taken the refresh token and its access token back.
        let oauth = world.portal.oauthClient(id: "mapapp")
        let answer = try await world.service.send(oauth.refresh(try #require(grant.refresh)))
        do {
            _ = try oauth.grant(from: answer, at: 0)
            Issue.record("a revoked refresh token was taken")
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            #expect(refusal.code == .invalidGrant)
        }
        let asked = try await world.service.send(world.portal.information(about: grant.access))
        #expect(throws: TokenServiceError.self) { try ArcGISTokenInformation(asked) }
    }

    @Test("Row 44: a sign-out clears the store although no portal answers") func signOutWithoutPortal() async throws {
        let store = MemoryCredentialStore()
        let source = world.signedIn(store)
        try await source.signedIn(try await world.signIn())
        let authenticator = try world.authenticator(world.place(source, world.servers.portal, first: true))
        world.servers.stop()
        let report = await authenticator.signOut()
        #expect(report.revokedTokens.isEmpty && report.failures.count == 1)
        #expect(try await store.list().isEmpty)
    }

    @Test("Row 47: a token is there before a challenge, and none is seen", arguments: [true, false])
    func inAdvance(first: Bool) async throws {
        let client = try world.client(world.place(world.user(), world.servers.portal, first: first))
        defer { client.shutDown() }
        for _ in 0..<3 { #expect(try await world.get(client, world.item).contains("Parcels")) }
        #expect(try await world.control("count/499") == (first ? "0" : "1"))
        #expect(try await world.control("count/generate") == "1")
    }

    @Test("Row 48: 498 in a success brings one new token for 200 requests") func invalidToken() async throws {
        let client = try world.client(world.place(world.user(), world.servers.portal, first: true))
        defer { client.shutDown() }
        #expect(try await world.get(client, world.item).contains("Parcels"))
        #expect(try await world.control("end-tokens") == "done")
        let item = world.item
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<200 { group.addTask { try await ArcGISWorld.get(client, item) } }
            for try await body in group { #expect(body.contains("Parcels")) }
        }
        #expect(try await world.control("count/generate") == "2")
    }

    @Test("Row 48: a server that takes no token causes one question, and its error is delivered") func takesNone()
        async throws
    {
        // A portal's token at a federated server.
        let client = try world.client(world.place(world.user(), world.servers.server, first: true))
        defer { client.shutDown() }
        for _ in 0..<5 { #expect(try await world.get(client, world.map).contains("498")) }
        #expect(try await world.control("count/generate") == "2")
    }

    @Test("Row 48: other errors and other bodies are delivered as they are") func otherBodies() async throws {
        let client = try world.client(world.place(world.application(), world.servers.portal, first: true))
        defer { client.shutDown() }
        let me = try await world.get(client, world.servers.portal + "/sharing/rest/community/self?f=json")
        #expect(me.contains("403"))
        #expect(try await world.control("count/oauth") == "1")
    }

    @Test("Row 49: any type may bring tokens") func ownSource() async throws {
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

    @Test("Row 55: the most specific place names the account, at its sites alone") func configuration() async throws {
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

    @Test("Row 58: the credentials of an application, and a wrong secret") func application() async throws {
        let question = TokenQuestion(origin: world.portal.root.origin)
        let token = try #require(try await world.application().token(for: question))
        let about = try ArcGISTokenInformation(await world.service.send(world.portal.information(about: token)))
        #expect(about.application == "worker" && about.user == nil)
        let source = world.application(secret: "wrong")
        await #expect(throws: TokenServiceError.self) { try await source.token(for: question) }
    }

    @Test(
        "Row 60: a token that needs TLS is not sent over plain http, also where the place would allow it; another one is",
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

    @Test("A refresh token is exchanged before it ends, and the old one ends") func exchange() async throws {
        let oauth = world.portal.oauthClient(id: "mapapp")
        let old = try #require(try await world.signIn().refresh)
        let request = world.portal.exchange(old, of: oauth, redirect: "http://127.0.0.1/callback")
        let next = try oauth.grant(from: await world.service.send(request), at: 0)
        #expect(try bytes(#require(next.refresh)) != bytes(old))
        let again = try await world.service.send(oauth.refresh(old))
        #expect(throws: TokenServiceError.self) { try oauth.grant(from: again, at: 0) }
    }

    private func bytes(_ secret: SharedSecret) -> [UInt8] {
        secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    @Test("Row 68: a certificate that no authority vouches for ends the request before any token is sent")
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

    @Test("Row 67: a person trusts one key at one host; another host, or another key, is another question")
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
