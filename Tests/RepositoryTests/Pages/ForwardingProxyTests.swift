import CredentialSources
import LiveServers
import NIOCore
import Sallyport
import Secrets
import Synchronization
import TestLimits
import Testing

/// The proxy of ForwardingProxy.md, before a Squid that asks for NTLM.
@Suite(.inTurn, .needs(.squid, .winbind)) struct ForwardingProxyTests {
    /// A person who is asked once.
    private final class Person: CredentialSource {
        let questions = Mutex(0)

        func reply(to question: CredentialQuestion) async throws -> CredentialReply {
            questions.withLock { $0 += 1 }
            return .use(
                SuppliedCredential(
                    user: "\(ServerScript.domain)\\jdoe",
                    password: SharedSecret(utf8: GuardedServer.password)
                )
            )
        }
    }

    /// What comes through a tunnel after one request in it.
    private func askThroughTunnel(_ port: UInt16, _ server: Origin, _ target: String) throws -> String {
        let stream = try ByteStream(port: port)
        let authority = "\(server.host):\(server.port)"
        try stream.send(Array("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n".utf8))
        let head = String(decoding: try stream.read(upTo: Array("\r\n\r\n".utf8)), as: UTF8.self)
        guard head == "HTTP/1.1 200 OK" else { return head }
        try stream.send(Array("GET \(target) HTTP/1.1\r\nHost: \(authority)\r\nConnection: close\r\n\r\n".utf8))
        var bytes: [UInt8] = []
        while let next = try? stream.read(count: 1) { bytes += next }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The response to one request of a connection, as it comes until the connection ends.
    private func ask(_ port: UInt16, _ request: String) throws -> String {
        let stream = try ByteStream(port: port)
        try stream.send(Array("\(request) HTTP/1.1\r\nHost: a\r\nConnection: close\r\nKeep-Alive: 5\r\n\r\n".utf8))
        var bytes: [UInt8] = []
        while let next = try? stream.read(count: 1) { bytes += next }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("The profiles of the page compile: a person's, and a ticket's") func profiles() throws {
        let parent = try Origin(parsing: "http://proxy.corp.example:3128")
        let challenged = ChallengedRequest(proxy: parent, method: "CONNECT", target: "wiki.corp.example:443")
        let asked = try ForwardingProxySnippet.authenticator(of: parent).current.handler
        #expect(asked.preparedAccount(for: challenged) == nil)
        let ticket = try ChallengeHandler(profile: try ForwardingProxySnippet.ticket(for: parent))
        #expect(ticket.preparedAccount(for: challenged)?.account.name == "ticket")
    }

    @Test(
        "Programs without a password reach a server through it; a person is asked once, and what fails is told in words"
    )
    func live() async throws {
        let squid = try await GuardedServer.started(.squidNTLM)
        let (parent, open) = (try squid.address(), try squid.openOrigin)
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "\(parent)", name: "test"),
            schemes: [.ntlm],
            accounts: []
        )
        let person = Person()
        let authenticator = try Authenticator(
            CurrentHandler(try ChallengeHandler(profile: profile)),
            prompt: person,
            store: nil
        )
        let port = try ServerPort.take()
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: Int(port))
        let proxy = try await ForwardingProxySnippet.serve(authenticator, parent, at: address)
        defer { proxy.close(promise: nil) }
        for number in 0..<4 {
            let response = try ask(port, "GET \(open)\(squid.page(number))")
            #expect(response.hasPrefix("HTTP/1.1 200 ") && response.hasSuffix("<p>in</p>\n"), "\(response)")
        }
        let head = try ask(port, "HEAD \(open)\(squid.page(1))")
        #expect(head.hasPrefix("HTTP/1.1 200 ") && head.hasSuffix("\r\n\r\n"), "\(head)")
        for number in 0..<2 {
            let tunnelled = try askThroughTunnel(port, open, squid.page(number))
            // Python's server.
            #expect(tunnelled.hasPrefix("HTTP/1.0 200 ") && tunnelled.hasSuffix("<p>in</p>\n"), "\(tunnelled)")
        }
        #expect(person.questions.withLock { $0 } == 1)
        let nowhere = try askThroughTunnel(port, try Origin(parsing: "https://127.0.0.1:1"), "/")
        #expect(nowhere.hasPrefix("HTTP/1.1 502 the proxy refused the tunnel"), "\(nowhere)")
        let failed = try ask(port, "GET /no-url")
        #expect(failed.hasPrefix("HTTP/1.1 502 ") && failed.contains("the scheme is missing: begin with"), "\(failed)")
        // When a body breaks off, the proxy writes nothing of its own after it.
        let broken = try await ScriptedServer { _ in .sendAndClose("HTTP/1.1 502 No\r\nContent-Length: 9\r\n\r\nhalf") }
        defer { broken.stop() }
        let cut = try ask(port, "GET \(broken.origin)/")
        #expect(cut.hasPrefix("HTTP/1.1 502 ") && cut.hasSuffix("\r\n\r\nhalf"), "\(cut)")
        #expect(broken.requests.allSatisfy { $0.field("Via")?.contains("forwarding-proxy") == true })
        #expect(try squid.takeBadLogOns() == 0)
    }
}
