import Crypto
import Foundation
import LiveServers
import SwiftASN1
import TestSupport
import Testing
import X509

/// What `get` says where a server may have refused a client certificate, and does not say so.
@Suite(.inTurn) struct RefusedCertificateTests {
    private let root: TestAuthority
    private let clients: TestAuthority
    private let folder: RequestFolder
    private static let doubt =
        " was presented, and the server may have refused it (expired, revoked, or of an issuer that it does not trust)"

    init() throws {
        (root, clients) = (try TestAuthority("Root"), try TestAuthority("Clients"))
        folder = try RequestFolder()
        // Within a week of its end a warning would come first.
        let end = Date() + 30 * 86_400
        let laptop = try clients.leaf(
            "x.example",
            changes: .init(end: end, uses: [.clientAuth], commonName: "laptop 7")
        )
        try folder.write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
        let text = try laptop.certificate.serializeAsPEM().pemString + "\n" + laptop.key.pemRepresentation + "\n"
        try folder.write(text, "laptop.pem")
    }

    private func get(_ url: String, _ options: [String] = []) async throws -> SallyportRun {
        try await folder.live(["get", url, "--no-store", "--cacert", folder.path("root.pem")] + options)
    }

    @Test("A server that resets after its request for a certificate ends with 1, and the remedy is not another try")
    func closed() async throws {
        let context = try root.leaf("localhost").serverContext(asking: clients)
        let server = try await ScriptedServer(tls: context) { _ in .reset }
        defer { server.stop() }
        let none = try await get("\(server.origin)/")
        #expect(
            none.status == 1
                && none.error
                    == "sallyport get: \(server.origin): the server closed the connection without an answer after it had asked for a "
                    + "client certificate, and none was sent: present one with --cert FILE or --cert-identity NAME, or name it in the "
                    + "profile\n",
            "\(none.error)"
        )
        let some = try await get("\(server.origin)/", ["--cert", folder.path("laptop.pem")])
        #expect(
            some.status == 1
                && some.error.hasPrefix(
                    "sallyport get: \(server.origin): the server closed the connection without an answer: the certificate of identity "
                )
                && some.error.hasSuffix("\(Self.doubt): check it, or try again\n"),
            "\(some.error)"
        )
    }

    @Test("nginx answers 400 to a certificate that it does not take: the line names it", .needs(.nginx))
    func badRequest() async throws {
        // Of the same name, so that the certificate is presented.
        let others = try TestAuthority("Clients").own.certificate
        let nginx = try await NginxWithClients(root.leaf("localhost"), clients: others)
        let run = try await get("https://localhost:\(nginx.port)/", ["--cert", folder.path("laptop.pem")])
        #expect(
            run.status == 1
                && run.error.contains(
                    ": 400 Bad Request: the server refuses the request: check it; the certificate of identity "
                ) && run.error.hasSuffix("\(Self.doubt)\n"),
            "\(run.error)"
        )
    }

    @Test("A server that did not ask for the certificate that is meant for it may ask after the handshake") func late()
        async throws
    {
        let server = try await ScriptedServer(tls: root.leaf("localhost").serverContext) { _ in
            .send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let remedy =
            "if the server asks for a certificate after the handshake, which Sallyport does not answer, let it ask in the handshake\n"
        let run = try await get("\(server.origin)/", ["--cert", folder.path("laptop.pem")])
        #expect(
            run.status == 1
                && run.error.contains(
                    ": 403 Forbidden: the server refuses this page, and did not ask for the client certificate that is meant for it: "
                ) && run.error.hasSuffix(remedy),
            "\(run.error)"
        )
        let none = try await get("\(server.origin)/")
        #expect(none.error.hasSuffix(" asks for no credentials: check the URL, or ask its operator\n"), "\(none.error)")
        // With TLS 1.2 such a server closes the connection.
        let closing = try await ScriptedServer(tls: root.leaf("localhost").serverContext) { _ in .reset }
        defer { closing.stop() }
        let closed = try await get("\(closing.origin)/", ["--cert", folder.path("laptop.pem")])
        #expect(closed.status == 2 && closed.error.hasSuffix(": try again; \(remedy)"), "\(closed.error)")
    }

    @Test("A certificate that no server gets brings a warning, also where the server takes none")
    func unfit() async throws {
        let server = try await ScriptedServer(tls: root.leaf("localhost").serverContext) { _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let expired = TestAuthority.Changes(begin: Date() - 7_200, end: Date() - 3_600, uses: [.clientAuth])
        for (changes, warning) in [
            (expired, "the certificate of '--cert' has expired on "),
            (.init(uses: [.serverAuth]), "the certificate of '--cert' is not for clients: "),
        ] {
            let leaf = try clients.leaf("x.example", changes: changes)
            let text = try leaf.certificate.serializeAsPEM().pemString + "\n" + leaf.key.pemRepresentation + "\n"
            try folder.write(text, "unfit.pem")
            let run = try await get("\(server.origin)/", ["--cert", folder.path("unfit.pem")])
            #expect(run.status == 0 && run.error.hasPrefix("sallyport get: \(warning)"), "\(run.error)")
        }
    }
}
