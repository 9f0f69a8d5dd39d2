import Foundation
import Hostnames
import LiveServers
import MatrixClients
import Sallyport
import SallyportClient
import Testing

/// A page that only a password opens leads to another origin.
@Suite(.inTurn, .serialized, .needs(.apache, .gssNTLMSSP, .lighttpd, .nginx, .squid, .pyspnego))
struct RedirectTests {
    /// What the user sets by hand, for the first origin.
    private static let fields = ["Authorization": "Bearer t", "Cookie": "a=b", "X-Key": "k", "Accept": "text/kept"]
    private static let visitor = "Basic " + Data("visitor:Other".utf8).base64EncodedString()

    @Test(
        "Nothing of the first origin reaches the second, which gets its own account or none",
        arguments: MatrixClient.allCases,
        GuardedServer.Kind.matrix
    )
    func toAnotherOrigin(client: MatrixClient, kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let strange = try await asking()
        defer { strange.stop() }
        let known = try await asking()
        defer { known.stop() }
        // A proxy guards the way to a page that leads away.
        let front = try await ScriptedServer {
            .send(Responses.redirect(to: "http://127.0.0.1\($0.target.dropFirst())/there"))
        }
        defer { front.stop() }
        var settings = ClientSettings.patient
        let address = try server.address()
        if server.isProxy {
            // Straight to the others, where a field that is meant for the proxy would arrive.
            let guarded = front.origin
            settings.proxy = { [address] in $0 == guarded ? address : nil }
        }
        let visitor = MatrixProfile.User(name: "visitor", password: "Other", domain: nil, sites: [known.origin])
        let users = [try MatrixProfile.user(of: server), visitor]
        let current = try MatrixProfile.current(users, kind.scheme == .basic ? [.basic] : [kind.scheme, .basic])
        let directFields = Self.fields.merging(["Proxy-Authorization": "Bearer p"]) { $1 }
        try await client.run(current, settings) { running in
            func ask(_ other: Origin) async throws -> MatrixReply {
                // The path is the port of the other server.
                let request =
                    server.isProxy
                    ? MatrixRequest(origin: front.origin, target: "/:\(other.port)", fields: Self.fields)
                    : MatrixRequest(origin: address, target: server.page(leadingTo: other), fields: directFields)
                return try await running.send(request)
            }
            let statuses = [try await ask(strange.origin).status, try await ask(known.origin).status]
            #expect(statuses == [401, 200])
        }
        #expect(strange.requests.map { $0.field("Authorization") } == [nil])
        #expect(known.requests.map { $0.field("Authorization") } == [nil, Self.visitor])
        for request in strange.requests + known.requests {
            #expect(request.target.hasSuffix("/there"))
            #expect(request.field("Cookie") == nil && request.field("Proxy-Authorization") == nil)
            #expect(request.field("X-Key") == nil && request.field("Accept") == "text/kept")
        }
        if server.isProxy {
            #expect(front.requests.count >= 2)
            #expect(front.requests.allSatisfy { $0.field("Cookie") == "a=b" })
        }
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test(
        "A body that can be sent once does not follow a redirect that wants it again",
        arguments: MatrixClient.allCases
    )
    func once(client: MatrixClient) async throws {
        let other = try await asking()
        defer { other.stop() }
        let target = "\(other.origin)/there"
        let server = try await ScriptedServer { _ in .send(Responses.redirect(307, to: target)) }
        defer { server.stop() }
        try await client.run(try MatrixProfile.current([.init(sites: [server.origin])], [.basic])) { running in
            await #expect(throws: ClientError.badRedirect(reason: "the body can be sent once only")) {
                try await running.send(MatrixRequest(origin: server.origin, body: .once))
            }
        }
        #expect(other.connections == 0)
    }

    /// A server that asks for Basic.
    private func asking() async throws -> ScriptedServer {
        try await ScriptedServer {
            $0.field("Authorization") == Self.visitor ? .send(Responses.ok) : .send(Responses.basic)
        }
    }
}
