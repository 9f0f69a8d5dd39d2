import Crypto
import Foundation
import LiveServers
import SwiftASN1
import Testing
import X509

/// Client certificates of `sallyport relay`.
@Suite(.inTurn, .needs(.nginx)) struct RelayCertificateTests {
    @Test("A mapped server gets the certificate of a file, of the store, or of the profile")
    func mapped() async throws {
        let folder = try RequestFolder()
        let nginx = try await folder.nginxWithLaptop()
        let files = [folder.path("laptop.pem"), "--key", folder.path("laptop.key"), "--name", "laptop"]
        let store = ["--store", folder.path("identities"), "--key-file", folder.path("identities.key")]
        let imported = try await folder.live(["identity", "import"] + files + store)
        #expect(imported.status == 0, "\(imported.error)")
        try folder.identityProfile("certificate: { file: laptop.pem, key: laptop.key }", for: nginx)
        let ways = [
            ["--no-store", "--cert", folder.path("laptop.pem"), "--cert-key", folder.path("laptop.key")],
            store + ["--cert-identity", "laptop"],
            ["--no-store", "--profile", folder.path("profile.yaml")],
        ]
        let map = ["--map", "127.0.0.1:0=https://localhost:\(nginx.port)", "--cacert", folder.path("root.pem")]
        for way in ways {
            let relay = try RunningRelay(map + way, environment: folder.environment, lines: 1, listens: false)
            #expect(try Self.page(relay.port).contains("SUCCESS CN=laptop 7 "), "\(way[0])")
            relay.send(SIGTERM)
            #expect(relay.end() == 0)
        }
        let without = try RunningRelay(map + ["--no-store"], environment: folder.environment, lines: 1, listens: false)
        #expect(try Self.page(without.port).hasPrefix("HTTP/1.1 400 "))
        try without.waitForLog(
            "warning the server asked for a client certificate, and none was sent reason=none is for this server: present one with --cert FILE"
        )
        without.send(SIGTERM)
        #expect(without.end() == 0)
    }

    /// The response of a mapped server, with its head.
    private static func page(_ port: UInt16) throws -> String {
        try SallyportRun(
            ["curl", "-sSi", "http://127.0.0.1:\(port)/"],
            program: URL(filePath: "/usr/bin/env")
        ).output
    }

    @Test("A certificate that no party can ask for is an error, and not passed over") func useless() async throws {
        let run = try await RequestFolder().live([
            "relay", "--parent", "a.example:1", "--no-store", "--cert", "laptop.pem",
        ])
        #expect(
            run.status == 2
                && run.error.hasPrefix("sallyport relay: --cert: no parent and no mapped server is reached over TLS"),
            "\(run.error)"
        )
    }

    @Test("Without a terminal the passphrase of a store that may be left out is an error that says so")
    func noTerminal() throws {
        // `setsid` leaves the terminal of the tests, if they have one.
        let run = try SallyportRun(
            ["-w", SallyportRun.executable.path, "relay", "--map", "127.0.0.1:0=https://localhost:1"],
            environment: RequestFolder().environment,
            program: URL(filePath: "/usr/bin/setsid")
        )
        #expect(
            run.status == 2
                && run.error.hasPrefix(
                    "sallyport relay: terminal: there is none to ask at for the new passphrase of the store /"
                )
                && run.error.hasSuffix(": make it with --key-file, or leave it out with --no-store\n"),
            "\(run.error)"
        )
    }

    @Test("--cert-identity and --no-store contradict each other") func contradiction() async throws {
        let run = try await RequestFolder().live([
            "relay", "--parent", "a.example:1", "--no-store", "--cert-identity", "laptop",
        ])
        #expect(run.status == 2 && run.error.contains("--no-store uses none"), "\(run.error)")
    }
}
