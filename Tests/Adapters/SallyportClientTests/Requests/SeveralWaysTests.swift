import Hostnames
import LiveServers
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import Testing

/// What ``AuthenticatedClient`` does where several ways lead to a server.
@Suite(.inTurn) struct SeveralWaysTests {
    private static func client(_ ways: [Origin?], _ failed: NIOLockedValueBox<[Origin?]>, _ rules: String...) throws
        -> AuthenticatedClient
    {
        var settings = ClientSettings.patient
        settings.ways = { _ in ways }
        settings.wayFailed = { _, proxy, _ in failed.withLockedValue { $0.append(proxy) } }
        return AuthenticatedClient(try OneAccount.current(rules[0]), settings: settings)
    }

    private static func closed() throws -> Origin { try Origin(parsing: "http://127.0.0.1:\(ServerPort.take())") }

    private static let asks =
        "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n"

    @Test("Ways are tried in their order until one has a connection; a body goes out once, and one proxy is asked")
    func order() async throws {
        let proxy = try await ScriptedServer { request in
            .send(request.field("Proxy-Authorization") == nil ? Self.asks : OneAccount.ok)
        }
        let last = try await ScriptedServer { _ in .send(OneAccount.ok) }
        defer { for each in [proxy, last] { each.stop() } }
        let (first, second) = (try Self.closed(), try Self.closed())
        let failed = NIOLockedValueBox<[Origin?]>([])
        let client = try Self.client([first, second, proxy.origin, last.origin], failed, "\(proxy.origin)")
        defer { client.shutDown() }
        let request = try ClientRequest(
            url: "http://a.example/x",
            method: .POST,
            body: .bytes(ByteBuffer(string: "body"))
        )
        let response = try await client.execute(request, deadline: OneAccount.soon)
        #expect(response.status == .ok)
        #expect(failed.withLockedValue(\.self) == [first, second])
        #expect(proxy.requests.map(\.target) == ["http://a.example/x", "http://a.example/x"])
        #expect(proxy.requests.last?.body == "body" && last.requests.isEmpty)
    }

    @Test("The last way is the direct one; what a party answers ends the search") func direct() async throws {
        let server = try await ScriptedServer { _ in .send(OneAccount.ok) }
        let busy = try await ScriptedServer { _ in .send("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n") }
        defer { for each in [server, busy] { each.stop() } }
        let failed = NIOLockedValueBox<[Origin?]>([])
        let closed = try Self.closed()
        let client = try Self.client([closed, nil, busy.origin], failed, "\(server.origin)")
        defer { client.shutDown() }
        let request = ClientRequest(origin: server.origin, target: "/x")
        #expect(try await client.execute(request, deadline: OneAccount.soon).status == .ok)
        #expect(server.requests.map(\.target) == ["/x"] && busy.requests.isEmpty)

        let other = try Self.client([busy.origin, nil], failed, "\(server.origin)")
        defer { other.shutDown() }
        #expect(try await other.execute(request, deadline: OneAccount.soon).status == .serviceUnavailable)
        #expect(server.requests.count == 1 && failed.withLockedValue(\.self) == [closed])
    }

    @Test("Where no way can be taken, the error is that of the last one; a tunnel's proxy counts, too") func none()
        async throws
    {
        let (first, second) = (try Self.closed(), try Self.closed())
        let failed = NIOLockedValueBox<[Origin?]>([])
        let client = try Self.client([first, second], failed, "\(first)")
        defer { client.shutDown() }
        for url in ["http://a.example/", "https://a.example/"] {
            let error = await #expect(throws: ClientError.self) {
                try await client.execute(try ClientRequest(url: url), deadline: OneAccount.soon)
            }
            guard case .notConnected(second, reason: _) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(failed.withLockedValue(\.self) == [first, first])
    }
}
