import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import Testing

/// What ``AuthenticatedClient`` says to proxies about the life of the connection.
@Suite(.inTurn) struct ProxyPersistenceTests {
    @Test(
        "The field goes out until the proxy answers in HTTP/1.1, and an HTTP/1.0 connection that it keeps is used again",
        arguments: ["1.0", "1.1"]
    )
    func version(version: String) async throws {
        let proxy = try await ScriptedServer { _ in
            .send(
                "HTTP/\(version) 200 OK\r\nProxy-Connection: keep-alive\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok"
            )
        }
        defer { proxy.stop() }
        var settings = ClientSettings.patient
        let address = proxy.origin
        settings.proxy = { _ in address }
        let client = AuthenticatedClient(try OneAccount.current("\(address)"), settings: settings)
        defer { client.shutDown() }
        for _ in 0..<3 {
            let response = try await client.execute(
                ClientRequest(url: "http://a.example/"),
                deadline: .now() + .hours(1)
            )
            _ = try await response.body.collect(upTo: 100)
        }
        #expect(proxy.connections == 1)
        let sent = proxy.requests.map { $0.field("Proxy-Connection") }
        #expect(sent == (version == "1.0" ? ["keep-alive", "keep-alive", "keep-alive"] : ["keep-alive", nil, nil]))
    }
}
