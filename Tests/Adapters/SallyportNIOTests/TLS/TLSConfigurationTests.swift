import Credentials
import LiveServers
import NIOCore
import NIOSSL
import Sallyport
import SallyportNIO
import Testing
import X509

/// The configuration for libraries that make their own connections, as such a library uses it.
@Suite(.inTurn) struct TLSConfigurationTests {
    private var world: TLSWorld
    private let clients: TestAuthority
    private let laptop: Keyed

    init() throws {
        world = try TLSWorld()
        clients = try TestAuthority("Clients")
        laptop = try clients.leaf("laptop.example", changes: .init(uses: [.clientAuth]))
        let identity = ClientIdentity(name: "laptop", certificateChain: [try laptop.der])
        world.identities = [.init(identity, sites: ["wiki.example"])]
        world.settings.identityKeys = ["laptop": try laptop.source]
    }

    private func visit(_ origin: String, _ server: TLSTestServer) async throws -> Exchange {
        let configuration = try world.connector().configuration(for: Origin(parsing: origin))
        let context = try NIOSSLContext(configuration: #require(configuration))
        return try await TLSTestClient.exchange(port: server.port) { pipeline in
            try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "wiki.example"))
        }
    }

    @Test("It trusts the roots, checks names, and presents the identity of its origin only")
    func everything() async throws {
        let server = try await TLSTestServer.start(
            world.root.leaf("wiki.example"),
            clients: .optional([clients.own.certificate])
        )
        #expect(try await visit("https://wiki.example", server).answer == "ok")
        #expect(await server.next().client == (try laptop.der))
        #expect(try await visit("https://wiki.example:8443", server).answer == "ok")
        #expect(await server.next().client == nil)
        let other = try await TLSTestServer.start(world.root.leaf("other.example"))
        #expect(try await visit("https://wiki.example", other).answer.isEmpty)
        let stranger = try await TLSTestServer.start(TestAuthority("Stranger").leaf("wiki.example"))
        #expect(try await visit("https://wiki.example", stranger).answer.isEmpty)
    }

    @Test("Pinned hosts have none, because their pins could not be checked")
    func pinned() throws {
        var pinned = world
        pinned.pins = [
            TLSWorld.entry(try laptop.pin), TLSWorld.entry(try laptop.pin, host: "seen.example", mode: .reportOnly),
        ]
        let connector = try pinned.connector()
        #expect(try connector.configuration(for: Origin(parsing: "https://wiki.example")) == nil)
        #expect(try connector.configuration(for: Origin(parsing: "https://seen.example:8443")) == nil)
        #expect(try connector.configuration(for: Origin(parsing: "https://other.example")) != nil)
        let host = try Hostname(parsing: "other.example")
        pinned.trustedKeys = [TrustedKey(host: host, pin: try laptop.pin, until: .max)]
        #expect(try pinned.connector().configuration(for: Origin(parsing: "https://other.example")) == nil)
    }
}
