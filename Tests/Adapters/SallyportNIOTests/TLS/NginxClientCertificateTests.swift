import Credentials
import LiveServers
import Sallyport
import SallyportNIO
import Testing
import X509

/// An independent implementation of TLS, OpenSSL below nginx, verifies our client certificate.
@Suite(.inTurn, .enabled(if: NginxWithClients.isInstalled, "needs nginx: .ci/install brings it"))
struct NginxClientCertificateTests {
    private var world: TLSWorld
    private let clients: TestAuthority

    init() throws {
        world = try TLSWorld()
        clients = try TestAuthority("Clients")
        let laptop = try clients.leaf("x.example", changes: .init(uses: [.clientAuth], commonName: "laptop 7"))
        let identity = ClientIdentity(name: "laptop", certificateChain: [try laptop.der])
        world.identities = [.init(identity, sites: ["wiki.example"])]
        world.settings.identityKeys = ["laptop": try laptop.source]
    }

    private func body(
        _ origin: String,
        verify: String,
        version: String = "TLSv1.3",
        trusting root: TestAuthority? = nil
    ) async throws -> String {
        let leaf = try world.root.leaf("wiki.example")
        let trusted = (root ?? clients).own.certificate
        let nginx = try await NginxWithClients(leaf, clients: trusted, verify: verify, version: version)
        let connector = try world.connector()
        let exchange = try await TLSTestClient.exchange(
            connector,
            Origin(parsing: origin),
            port: nginx.port,
            request: "GET / HTTP/1.1\r\nHost: wiki.example\r\nConnection: close\r\n\r\n"
        )
        #expect(exchange.errors.isEmpty, "\(exchange.errors)")
        return exchange.answer
    }

    @Test("nginx verifies the identity, and sees its subject", arguments: ["on", "optional"], ["TLSv1.2", "TLSv1.3"])
    func verified(verify: String, version: String) async throws {
        let answer = try await body("https://wiki.example", verify: verify, version: version)
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(answer.contains("SUCCESS CN=laptop 7 \(version)"))
    }

    @Test("Another origin presents nothing: nginx refuses or goes on as it is told")
    func nothing() async throws {
        #expect(try await body("https://wiki.example:8443", verify: "on").hasPrefix("HTTP/1.1 400 "))
        #expect(try await body("https://wiki.example:8443", verify: "optional").contains("NONE"))
    }

    @Test("nginx does not ask, or does not trust")
    func others() async throws {
        #expect(try await body("https://wiki.example", verify: "off").contains("\r\n\r\nNONE"))
        let answer = try await body("https://wiki.example", verify: "on", trusting: TestAuthority("Others"))
        #expect(answer.hasPrefix("HTTP/1.1 400 "))
    }
}
