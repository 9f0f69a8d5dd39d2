import Crypto
import Foundation
import LiveServers
import SwiftASN1
import TestSupport
import Testing
import X509

/// Client certificates at Apache, which names their subjects.
@Suite(.inTurn, .needs(.apache, .curl)) struct ApacheCertificateTests {
    private let folder: RequestFolder
    private let root: TestAuthority
    private let clients: TestAuthority

    init() throws {
        (folder, root, clients) = (try RequestFolder(), try TestAuthority("Root"), try TestAuthority("Clients"))
        try folder.write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
        try write("laptop 7")
    }

    private func write(_ name: String) throws {
        let leaf = try clients.leaf("x.example", changes: .init(uses: [.clientAuth], commonName: name))
        let text = try leaf.certificate.serializeAsPEM().pemString + "\n" + leaf.key.pemRepresentation + "\n"
        try folder.write(text, "new.pem")
        guard unsafe rename(folder.path("new.pem"), folder.path("laptop.pem")) == 0 else {
            throw PeerFailure(what: "rename: \(errno)")
        }
    }

    private func apache(_ version: String, place: String? = nil) async throws -> ApacheWithClients {
        try await ApacheWithClients(
            root.leaf("localhost"),
            clients: clients.own.certificate,
            version: version,
            place: place
        )
    }

    /// - Parameter presents: whether the command has a certificate.
    private func head(_ url: String, presents: Bool = true) async throws -> SallyportRun {
        let certificate = presents ? ["--cert", folder.path("laptop.pem")] : []
        return try await folder.live(
            ["get", "--head", url, "--cacert", folder.path("root.pem"), "--no-store", "--no-prompt"] + certificate
        )
    }

    @Test("get presents one, and says what is missing", arguments: ["TLSv1.2", "TLSv1.3"])
    func get(version: String) async throws {
        let server = try await apache(version)
        let url = "https://localhost:\(server.port)/"
        let run = try await head(url)
        #expect(run.status == 0 && run.output.contains("\nX-Subject: CN=laptop 7\n"), "\(run.output)\(run.error)")
        let none = try await head(url, presents: false)
        #expect(none.status == 1 && none.output.isEmpty, "\(none.output)")
        #expect(none.error.contains(", and none was sent: present one with --cert FILE"), "\(none.error)")
    }

    @Test("A relay presents a renewed one without a restart", .row(18, 19)) func renewal() async throws {
        let server = try await apache("TLSv1.3")
        try folder.write(
            """
            version: 1
            sites: ["localhost:\(server.port)"]
            schemes: []
            identities:
              - name: laptop
                certificate: { file: laptop.pem }
                sites: ["localhost:\(server.port)"]
            """,
            "profile.yaml"
        )
        let relay = try RunningRelay(
            ["--map", "127.0.0.1:0=https://localhost:\(server.port)", "--no-store"]
                + ["--profile", folder.path("profile.yaml"), "--cacert", folder.path("root.pem")],
            environment: folder.environment,
            lines: 1,
            listens: false
        )
        func fields() throws -> String {
            let url = "http://127.0.0.1:\(relay.port)/"
            return try SallyportRun(["curl", "-sSI", url], program: URL(filePath: "/usr/bin/env")).output
        }
        #expect(try fields().contains("\nX-Subject: CN=laptop 7\r\n"))
        try write("laptop 8")
        try relay.waitForLog("identity 'laptop': renewed, valid until ")
        #expect(try fields().contains("\nX-Subject: CN=laptop 8\r\n"))
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
    }

    @Test(
        "A server that asks after the handshake gets none, and the remedy says where it should ask",
        arguments: [("TLSv1.2", 2), ("TLSv1.3", 1)] as [(String, Int32)]
    )
    func late(version: String, status: Int32) async throws {
        let server = try await apache(version, place: "/late")
        let early = try await head("https://localhost:\(server.port)/")
        #expect(early.status == 0, "\(early.output)\(early.error)")
        let run = try await head("https://localhost:\(server.port)/late/")
        #expect(run.status == status, "\(run.output)\(run.error)")
        let remedy =
            "if the server asks for a certificate after the handshake, which Sallyport does not answer, let it ask in "
            + "the handshake\n"
        #expect(run.error.hasSuffix(remedy), "\(run.error)")
    }
}
