import ClientCertificates
import Credentials
import Hostnames
import LiveServers
import MatrixClients
import Sallyport
import SallyportNIO
import Synchronization
import TestSupport
import Testing
import X509

/// nginx, which is OpenSSL, verifies the certificate of each client.
@Suite(.inTurn, .serialized, .needs(.nginx)) struct ClientCertificateTests {
    @Test(
        "nginx sees the identity of the profile",
        .row(22),
        arguments: MatrixClient.allCases,
        ["TLSv1.2", "TLSv1.3"]
    )
    func right(client: MatrixClient, version: String) async throws {
        let reply = try await Self.reply(client, version: version, presents: true)
        #expect(reply.status == 200)
        #expect(reply.text.contains("SUCCESS CN=laptop 7 \(version)"), "\(reply.text)")
    }

    @Test(
        "Of another authority it is refused, and without one nginx says so",
        arguments: MatrixClient.allCases,
        [false, true]
    )
    func wrong(client: MatrixClient, presents: Bool) async throws {
        let reply = try await Self.reply(client, version: "TLSv1.3", presents: presents, isTrusted: false)
        #expect(reply.status == 400)
        #expect(
            reply.text.contains(presents ? "SSL certificate error" : "No required SSL certificate"),
            "\(reply.text)"
        )
    }

    @Test("Identities with their keys are given in one call, and a person chooses", arguments: MatrixClient.allCases)
    func asked(client: MatrixClient) async throws {
        let (root, clients) = (try TestAuthority("Root"), try TestAuthority("Clients"))
        let nginx = try await NginxWithClients(root.leaf("localhost"), clients: clients.own.certificate)
        let origin = try Origin(parsing: "https://localhost:\(nginx.port)")
        let current = try MatrixProfile.current([], [.basic], at: [origin])
        let identities = try [("rsa", ClientPair.Kind.rsa), ("ec", .p384)].map { name, kind in
            let bytes = Array(try clients.client("laptop \(name)", kind).pem.utf8)
            return SecurityProfile.Assignment(try KeyedIdentity(name: name, parsing: bytes.span), sites: ["\(origin)"])
        }
        let count = Mutex(0)
        let authenticator = try Authenticator(
            current,
            identityChoice: { _ in
                count.withLock { $0 += 1 }
                return .use(identity: "ec")
            }
        )
        try await client.run(current, asking: authenticator, trusting: root, identities: identities) { running in
            for _ in 0..<2 {
                let reply = try await running.send(MatrixRequest(origin: origin))
                #expect(reply.status == 200 && reply.text.contains("SUCCESS CN=laptop ec"), "\(reply)")
            }
        }
        #expect(count.withLock { $0 } == 1)
    }

    /// - Parameter isTrusted: whether nginx trusts the client's authority, or another one of the same name: a certificate of an
    ///   authority that the server does not name is not presented.
    private static func reply(
        _ client: MatrixClient,
        version: String,
        presents: Bool,
        isTrusted: Bool = true
    ) async throws -> MatrixReply {
        let (root, clients) = (try TestAuthority("Root"), try TestAuthority("Clients"))
        let trusted = isTrusted ? clients : try TestAuthority("Clients")
        let nginx = try await NginxWithClients(
            root.leaf("localhost"),
            clients: trusted.own.certificate,
            version: version
        )
        let origin = try Origin(parsing: "https://localhost:\(nginx.port)")
        let laptop = try clients.leaf("x.example", changes: .init(uses: [.clientAuth], commonName: "laptop 7"))
        let identity = ClientIdentity(name: "laptop", certificateChain: [try laptop.der])
        let current = try MatrixProfile.current([], [.basic], identity: presents ? identity : nil, at: [origin])
        var reply: MatrixReply?
        try await client.run(current, trusting: root, identityKeys: ["laptop": try laptop.source]) { running in
            reply = try await running.send(MatrixRequest(origin: origin))
        }
        return try #require(reply)
    }
}
