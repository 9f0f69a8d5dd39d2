import Credentials
import LiveServers
import NIOSSL
import Sallyport
import SallyportNIO
import TestSupport
import Testing
import X509

@Suite(.inTurn) struct ClientIdentityTests {
    private var world: TLSWorld
    private let clients: TestAuthority
    private let laptop: Keyed
    private let leaf: Keyed
    private static let both = [TLSVersion.tlsv12, .tlsv13]

    init() throws {
        world = try TLSWorld()
        clients = try TestAuthority("Clients")
        let issuer = try clients.authority("Laptops")
        laptop = try issuer.leaf("laptop.example", changes: .init(uses: [.clientAuth]))
        leaf = try world.root.leaf("wiki.example")
        let identity = ClientIdentity(name: "laptop", certificateChain: [try laptop.der, try issuer.own.der])
        world.identities = [.init(identity, sites: ["wiki.example"])]
        world.settings.identityKeys = ["laptop": try laptop.source]
    }

    private func server(
        _ version: TLSVersion,
        _ clients: TLSTestServer.ClientCertificates
    ) async throws -> TLSTestServer {
        try await .start(leaf, maximum: version, clients: clients)
    }

    @Test("A server that requires or allows a certificate verifies ours, with its chain", arguments: both)
    func presented(version: TLSVersion) async throws {
        for mode in [
            TLSTestServer.ClientCertificates.required([clients.own.certificate]), .optional([clients.own.certificate]),
        ] {
            let server = try await server(version, mode)
            let exchange = try await world.visit(server)
            #expect(exchange.answer == "ok", "\(exchange.errors)")
            let seen = await server.next()
            #expect(seen.client == (try laptop.der))
            #expect(seen.version == version)
        }
    }

    @Test("A server that does not ask gets none", arguments: both)
    func notAsked(version: TLSVersion) async throws {
        // Without a key the identity could not be presented: it is not even looked up.
        var keyless = world
        keyless.settings.identityKeys = [:]
        let server = try await server(version, .no)
        #expect(try await keyless.visit(server).answer == "ok")
        let seen = await server.next()
        #expect(seen.isSecured && seen.client == nil)
    }

    @Test("Row 65: without an identity the handshake goes on without a certificate", .row(65), arguments: both)
    func noIdentity(version: TLSVersion) async throws {
        var other = world
        other.identities = []
        let server = try await server(version, .optional([clients.own.certificate]))
        #expect(try await other.visit(server).answer == "ok")
        let seen = await server.next()
        #expect(seen.isSecured && seen.client == nil)
    }

    @Test("A server that requires one says so, and the error says why none was sent", arguments: both)
    func required(version: TLSVersion) async throws {
        var other = world
        other.identities = []
        let server = try await server(version, .required([clients.own.certificate]))
        let exchange = try await other.visit(server)
        guard case .identityNotAccepted(_, .withhold(.noCredential), _)? = exchange.error else {
            Issue.record("\(exchange.errors)")
            return
        }
        let seen = await server.next()
        #expect(seen.bytes.isEmpty && !seen.isSecured)
    }

    @Test("A server that does not trust our authority", arguments: both)
    func notAccepted(version: TLSVersion) async throws {
        let server = try await server(version, .required([world.root.own.certificate]))
        let exchange = try await world.visit(server)
        guard case .identityNotAccepted(_, .present(let identity), _)? = exchange.error else {
            Issue.record("\(exchange.errors)")
            return
        }
        #expect(identity.name == "laptop")
        #expect(await server.next().bytes.isEmpty)
    }

    @Test("An identity whose key is missing ends the handshake with its name", arguments: both)
    func missingKey(version: TLSVersion) async throws {
        var keyless = world
        keyless.settings.identityKeys = ["desktop": try laptop.source]
        let server = try await server(version, .optional([clients.own.certificate]))
        #expect(try await keyless.visit(server).error == .missingKey(identity: "laptop"))
        let seen = await server.next()
        #expect(seen.bytes.isEmpty && !seen.isSecured)
    }

    @Test("A key of another certificate is an error at once; after a reload, in the handshake")
    func wrongKey() async throws {
        var wrong = world
        wrong.settings.identityKeys = ["laptop": try leaf.source]
        #expect(throws: TLSError.unusableIdentity("laptop")) { try wrong.connector() }
        wrong.identities = []
        let current = CurrentHandler(ChallengeHandler(try wrong.compiled))
        let connector = try TLSConnector(wrong.settings, current)
        current.replace(with: try world.compiled)
        let server = try await server(.tlsv13, .optional([clients.own.certificate]))
        let exchange = try await TLSTestClient.exchange(connector, TLSWorld.wiki, port: server.port)
        #expect(exchange.error == .unusableIdentity("laptop"))
        #expect(await server.next().client == nil)
    }

    @Test("An identity with the same name and another certificate takes the place of the first")
    func replaced() async throws {
        let first = try clients.leaf("first.example", changes: .init(uses: [.clientAuth]))
        // The same key, so that the settings stay.
        let second = Keyed(certificate: try clients.leaf("second.example", key: first.key), key: first.key)
        var world = world
        world.settings.identityKeys = ["laptop": try first.source]
        func compiled(_ keyed: Keyed) throws -> CompiledProfile {
            let identity = ClientIdentity(name: "laptop", certificateChain: [try keyed.der])
            world.identities = [.init(identity, sites: ["wiki.example"])]
            return try world.compiled
        }
        let current = CurrentHandler(ChallengeHandler(try compiled(first)))
        let connector = try TLSConnector(world.settings, current)
        let server = try await server(.tlsv13, .required([clients.own.certificate]))
        for keyed in [first, second, first] {
            current.replace(with: try compiled(keyed))
            #expect(try await TLSTestClient.exchange(connector, TLSWorld.wiki, port: server.port).answer == "ok")
            #expect(await server.next().client == (try keyed.der))
        }
    }

    @Test("The identity of one port is not for another one", arguments: both)
    func otherOrigin(version: TLSVersion) async throws {
        let server = try await server(version, .optional([clients.own.certificate]))
        #expect(try await world.visit(server, "https://wiki.example:8443").answer == "ok")
        #expect(await server.next().client == nil)
    }

    @Test("A server that is not verified is not told who we are", arguments: both)
    func rejectedServer(version: TLSVersion) async throws {
        var pinned = world
        pinned.pins = [TLSWorld.entry(try clients.own.pin)]
        let server = try await server(version, .optional([clients.own.certificate]))
        guard case .serverRejected? = try await pinned.visit(server).error else {
            Issue.record("a server without the pin was accepted")
            return
        }
        let seen = await server.next()
        #expect(seen.client == nil && !seen.isSecured)
    }

    @Test("A new profile's identity is used for the next connection, and no other's returns")
    func reload() async throws {
        let current = CurrentHandler(ChallengeHandler(try world.compiled))
        let connector = try TLSConnector(world.settings, current)
        let server = try await server(.tlsv13, .optional([clients.own.certificate]))
        #expect(try await TLSTestClient.exchange(connector, TLSWorld.wiki, port: server.port).answer == "ok")
        #expect(await server.next().client == (try laptop.der))
        var without = world
        without.identities = []
        current.replace(with: try without.compiled)
        #expect(try await TLSTestClient.exchange(connector, TLSWorld.wiki, port: server.port).answer == "ok")
        let seen = await server.next()
        #expect(seen.isSecured && seen.client == nil)
    }
}
