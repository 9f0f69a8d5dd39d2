import CredentialSources
import CredentialStores
import Hostnames
import LiveServers
import Sallyport
import SallyportRelay
import Secrets
import Testing

/// A person types the password of the proxy through whose tunnel a mapped server is reached.
@Suite(.inTurn) struct TunnelPasswordTests {
    private struct Person: CredentialSource {
        /// What happens while the person types.
        let meanwhile: @Sendable () async throws -> Void

        func reply(to question: CredentialQuestion) async throws -> CredentialReply {
            try await meanwhile()
            let password = SharedSecret(utf8: GuardedServer.password)
            return .use(SuppliedCredential(user: "jdoe", password: password, keep: .stored))
        }
    }

    /// Asks for one page by way of `proxy`, or past it, and returns what the store has afterwards.
    private static func stored(
        _ proxy: Origin,
        isKept: Bool,
        meanwhile: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> Int {
        let mapped = try MappedServer()
        let server = try await ScriptedServer(tls: mapped.leaf.serverContext) { _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        defer { server.stop() }
        let second = try SOCKSServer("open")
        let store = MemoryCredentialStore()
        let authenticator = try TestRelay.authenticator("\(proxy)", Person(meanwhile: meanwhile), store: store)
        let parents = [RelayParent(proxy), try RelayParent(parsing: "socks5://127.0.0.1:\(second.port)")]
        try await mapped.run(server.origin, authenticator: authenticator, parents: parents) { _, port in
            let page = try RelayClient(port: port).ask("/", host: "127.0.0.1:\(port)")
            #expect(page.body == "ok")
            // The end of the relay cancels what has not been kept by then.
            if isKept { try await eventually("the password is kept") { try await store.list().count == 1 } }
        }
        return try await store.list().count
    }

    @Test("It is kept when its tunnel is open", .needs(.squid, .python)) func kept() async throws {
        let squid = try await GuardedServer.started(.squidBasic)
        let count = try await Self.stored(squid.address(), isKept: true)
        #expect(count == 1)
    }

    @Test("It is not kept where another way has led past its proxy, which never judged it", .needs(.python))
    func ledPast() async throws {
        let proxy = try await ScriptedServer { _ in
            .sendAndClose(
                "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            )
        }
        let count = try await Self.stored(proxy.origin, isKept: false) { try await proxy.stopForGood() }
        #expect(count == 0)
        #expect(proxy.requests.count == 1)
    }
}
