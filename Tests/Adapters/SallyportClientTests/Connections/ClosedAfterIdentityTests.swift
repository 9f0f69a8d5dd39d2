import ClientCertificates
import Credentials
import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import SallyportNIO
import Testing

/// Servers that ask for a client certificate in the handshake, and close the connection in place of a response: what is left of a refusal
/// of TLS 1.3 whose alert a reset has dropped.
@Suite(.inTurn) struct ClosedAfterIdentityTests {
    private let root: TestAuthority
    private let clients: TestAuthority

    init() throws { (root, clients) = (try TestAuthority("Root"), try TestAuthority("Clients")) }

    /// How a request ends at a server with this reply.
    ///
    /// - Parameters:
    ///   - asks: whether the server asks for a certificate.
    ///   - target: where the request goes with the server as a proxy; `nil` if it goes to the server itself.
    private func end(
        _ reply: ScriptedServer.Reply,
        presents: Bool = false,
        asks: Bool = true,
        target: Origin? = nil
    ) async throws -> (error: ClientError?, server: ScriptedServer) {
        let leaf = try root.leaf("localhost")
        let context = asks ? try leaf.serverContext(asking: clients) : try leaf.serverContext
        let server = try await ScriptedServer(tls: context) { _ in reply }
        defer { server.stop() }
        let profile = SecurityProfile(sites: try SiteList(parsing: "\(server.origin)", name: "test"), schemes: [])
        let current = CurrentHandler(try ChallengeHandler(profile: profile, at: 0))
        var settings = TLSSettings.patient
        settings.roots = .certificates([try root.own.der])
        let bytes = Array(try clients.client("laptop").pem.utf8)
        let identity = try KeyedIdentity(name: "laptop", parsing: bytes.span)
        let connector = try TLSConnector(
            current,
            identities: presents ? [.init(identity, sites: ["\(server.origin)"])] : [],
            settings: settings
        )
        var clientSettings = ClientSettings.patient
        if target != nil { clientSettings.proxy = { [origin = server.origin] _ in origin } }
        let client = AuthenticatedClient(current, settings: clientSettings, tls: connector)
        defer { client.shutDown() }
        let error = await #expect(throws: ClientError.self) {
            try await client.execute(ClientRequest(origin: target ?? server.origin), deadline: OneAccount.soon)
        }
        return (error, server)
    }

    @Test("The error says what the server got that had asked", arguments: [.reset, .close] as [ScriptedServer.Reply])
    func unanswered(reply: ScriptedServer.Reply) async throws {
        let (none, first) = try await end(reply)
        #expect(none == .closedAfterIdentity(first.origin, .withhold(.noCredential)))
        let (some, second) = try await end(reply, presents: true)
        guard case .closedAfterIdentity(second.origin, .present(let identity))? = some else {
            Issue.record("\(String(describing: some))")
            return
        }
        #expect(identity.name == "laptop")
        #expect(first.requests.count == 1 && second.requests.count == 1)
    }

    @Test("The same of a proxy that is asked for a tunnel, and of one that forwards")
    func proxies() async throws {
        for target in ["https://inner.example", "http://inner.example"] {
            let target = try Origin(parsing: target)
            let (none, first) = try await end(.reset, target: target)
            #expect(none == .closedAfterIdentity(first.origin, .withhold(.noCredential)), "\(target)")
            let (some, second) = try await end(.reset, presents: true, target: target)
            guard case .closedAfterIdentity(second.origin, .present(let identity))? = some else {
                Issue.record("\(target): \(String(describing: some))")
                return
            }
            #expect(identity.name == "laptop")
        }
    }

    @Test("A server that did not ask, or that has begun to answer, has lost the connection") func others() async throws
    {
        let (unasked, first) = try await end(.reset, asks: false)
        #expect(unasked == .connectionLost(first.origin))
        let (begun, second) = try await end(.sendAndClose("HTT"), presents: true)
        #expect(begun == .connectionLost(second.origin))
    }
}
