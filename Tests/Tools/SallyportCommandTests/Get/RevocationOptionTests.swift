import Foundation
import LiveServers
import SwiftASN1
import TestSupport
import Testing
import X509

/// `--crl` of `get`, `explain` and `relay`, with lists of OpenSSL and a server of nginx.
@Suite(.inTurn, .serialized, .needs(.openssl, .nginx)) struct RevocationOptionTests {
    private let folder: RequestFolder
    private let root: TestAuthority
    private let leaf: Keyed
    private let maker: RevocationMaker

    init() throws {
        folder = try RequestFolder()
        root = try TestAuthority("Root")
        leaf = try root.leaf("localhost")
        maker = try RevocationMaker(root.own)
        try folder.write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
    }

    private var revoking: String { get throws { try maker.list([(leaf.certificate.serialDigits, "keyCompromise")]) } }

    private func nginx() async throws -> NginxWithClients {
        try await NginxWithClients(leaf, clients: root.own.certificate, verify: "optional")
    }

    private static let refusal =
        "the certificate of \"CN=Leaf\" was revoked at 2026-01-01T00:00:00Z (keyCompromise): the server needs a new one"

    @Test(
        "A revoked server is refused by the list of a file and of a URL, and explain says what is still unchecked",
        .row(13)
    )
    func server() async throws {
        let nginx = try await nginx()
        let common = ["https://localhost:\(nginx.port)/", "--direct", "--cacert", folder.path("root.pem")]
        func get(_ options: [String]) async throws -> SallyportRun { try await folder.live(["get"] + common + options) }
        let pem = try revoking
        let file = try folder.write(pem, "revoked.pem")
        let refused = try await get(["--crl", file])
        #expect(
            refused.status == 1 && refused.output.isEmpty && refused.error.contains(Self.refusal),
            "\(refused.error)"
        )
        #expect(!refused.error.dropLast().contains("\n"))
        let receiver = try await ScriptedServer { _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: \(pem.utf8.count)\r\n\r\n\(pem)")
        }
        defer { receiver.stop() }
        let clean = try folder.write(try maker.list(), "clean.pem")
        let fetched = try await get(["--crl", clean, "--crl", "\(receiver.origin)/root.crl"])
        #expect(fetched.status == 1 && fetched.error.contains(Self.refusal), "\(fetched.error)")
        #expect(receiver.requests.map(\.target) == ["/root.crl"])
        #expect(receiver.requests.allSatisfy { $0.field("Authorization") == nil })

        let other = try folder.write(try RevocationMaker(TestAuthority("Other").own).list(), "other.pem")
        let warned = try await get(["--crl", clean, "--crl", other])
        #expect(warned.status == 0 && warned.output.hasPrefix("NONE "), "\(warned.error)")
        #expect(
            warned.error.contains("warning: --crl: the list of \"CN=Other\" has checked nothing"),
            "\(warned.error)"
        )
        let told = try await folder.live(["explain"] + common + ["--json", "--crl", clean])
        let steps = try told.output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
        let unchecked = try #require(steps.first { $0["step"] as? String == "unchecked" })
        #expect(told.status == 0 && told.error.isEmpty, "\(told.error)")
        #expect(unchecked["checks"] as? [String] == ["ocsp", "certificate-transparency"])
        #expect(unchecked["lists"] as? [String] == ["CN=Root"])
    }

    @Test("A list that cannot be used is one line that says what to do, and no request is sent")
    func unusable() async throws {
        try folder.write(try maker.list(times: ("20260101000000Z", "20260201000000Z")), "old.pem")
        try folder.write(try maker.list(extensions: ["2.5.29.27=critical,DER:02:01:01"]), "delta.pem")
        let cases = [
            (folder.path("old.pem"), "the list of \"CN=Root\" ended at 2026-02-01T00:00:00Z: fetch the newer one"),
            (folder.path("delta.pem"), "it is a delta list"), (folder.path("root.pem"), "it has no revocation list"),
            (folder.path("none.pem"), "none.pem: the file does not exist"),
            ("http://name@localhost/a.crl", "--crl: a URL with a name or password before '@'"),
        ]
        for (place, text) in cases {
            // Nothing listens there.
            let run = try folder.run(["get", "https://localhost:1/", "--direct", "--crl", place])
            #expect(run.status == 2 && run.error.contains("--crl: ") && run.error.contains(text), "\(run.error)")
            #expect(!run.error.dropLast().contains("\n"))
        }
        let relay = try folder.run(
            [
                "relay", "--parent", "localhost:1", "--no-store", "--listen", "127.0.0.1:0", "--crl",
                folder.path("old.pem"),
            ]
        )
        #expect(relay.status == 2 && relay.error.contains(cases[0].1), "\(relay.error)")
    }

    @Test("A relay takes a changed list without a restart, and keeps the old one if the new one cannot be read")
    func relay() async throws {
        let nginx = try await nginx()
        let list = try folder.write(try maker.list(), "list.pem")
        let options = ["--map", "127.0.0.1:0=https://localhost:\(nginx.port)", "--cacert", folder.path("root.pem")]
        let relay = try RunningRelay(
            ["--no-store", "--crl", list] + options,
            environment: folder.environment,
            lines: 1,
            listens: false
        )
        let host = "127.0.0.1:\(relay.port)"
        #expect(try relay.get("/", host: host).status == 200)
        // Without a signal.
        try folder.write(try revoking, "list.pem")
        try relay.waitForLog("the revocation lists are read again")
        let (status, body) = try relay.get("/", host: host)
        #expect(status == 502 && body.contains("was revoked at 2026-01-01T00:00:00Z (keyCompromise)"), "\(body)")
        try folder.write("cut", "list.pem")
        relay.send(SIGHUP)
        try relay.waitForLog("the old profile stays in use: --crl: ")
        #expect(try relay.get("/", host: host).status == 502)
        try folder.write(try maker.list(), "list.pem")
        relay.send(SIGHUP)
        try relay.waitForLog("SIGHUP: files and revocation lists are read again")
        #expect(try relay.get("/", host: host).status == 200)
    }
}
