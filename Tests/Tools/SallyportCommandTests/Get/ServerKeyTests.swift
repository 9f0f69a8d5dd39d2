import Crypto
import Foundation
import LiveServers
import SwiftASN1
import TestLimits
import TestSupport
import Testing
import X509

/// OpenSSL servers with each type of key that `record` records: `get` must reach them, too.
@Suite(.inTurn, .serialized) struct ServerKeyTests {
    @Test(
        "A server is reached whatever its key is, in TLS 1.2 and 1.3",
        arguments: [
            ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-521"],
            ["ed25519"], ["rsa:2048"],
        ],
        ["-tls1_2", "-tls1_3"]
    )
    func reached(newKey: [String], version: String) async throws {
        let folder = try RequestFolder()
        let root = try TestAuthority("Root")
        try folder.write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
        try folder.write(root.own.key.pemRepresentation, "root.key")
        // Without the system's configuration, whose extensions the root has no identifier for.
        let made = try SallyportRun(
            ["req", "-x509", "-config", "/dev/null", "-newkey"] + newKey + [
                "-nodes", "-keyout", folder.path("leaf.key"), "-out", folder.path("leaf.pem"), "-days", "5",
                "-subj", "/CN=localhost", "-CA", folder.path("root.pem"), "-CAkey", folder.path("root.key"),
                "-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE",
            ],
            program: URL(filePath: "/usr/bin/openssl")
        )
        try #require(made.status == 0, "\(made.error)")
        let port = try ServerPort.take()
        let server = try HelperProcess([
            "openssl", "s_server", version, "-accept", "127.0.0.1:\(port)", "-www", "-cert", folder.path("leaf.pem"),
            "-key", folder.path("leaf.key"),
        ])
        defer { withExtendedLifetime(server) {} }
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            while try server.readLine().trimmingCharacters(in: .whitespacesAndNewlines) != "ACCEPT" {}
        }
        let run = try await folder.live(
            ["get", "https://localhost:\(port)/", "--direct", "--cacert", folder.path("root.pem")]
        )
        #expect(run.status == 0 && run.output.contains("s_server"), "\(run.error)")
    }
}
