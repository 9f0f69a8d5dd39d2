import Foundation
import LiveServers
import SallyportNIO
import SwiftASN1
import TestSupport
import Testing
import X509

@Suite struct SystemRootsTests {
    /// Calls `body` with the path of a file with `text`.
    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let file = TemporaryFolder.place("roots", extension: ".pem")
        try text.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        try body(file.path)
    }

    private static func pem() throws -> String {
        try TestAuthority("Root").own.certificate.serializeAsPEM().pemString + "\n"
    }

    @Test("A system without the package says which files it lacks, and what to install") func missing() {
        let roots = SystemRoots.read(named: nil, places: ["/missing/one", "/missing/two"])
        #expect(
            roots.problem == """
                the roots of the system are missing: cannot read '/missing/one': No such file or directory, cannot read \
                '/missing/two': No such file or directory: install the package ca-certificates, or name a file of roots in \
                SSL_CERT_FILE
                """
        )
    }

    @Test("The named file takes the place of the system's, also when it cannot be used") func named() throws {
        try withFile(Self.pem()) { good in
            #expect(SystemRoots.read(named: good, places: []).problem == nil)
            #expect(SystemRoots.read(named: nil, places: ["/missing", good]).problem == nil)
            let problem = try #require(SystemRoots.read(named: "/missing", places: [good]).problem)
            #expect(problem.hasSuffix("correct SSL_CERT_FILE, which names the file"))
        }
        try withFile("no certificate") { empty in
            let problem = try #require(SystemRoots.read(named: empty, places: []).problem)
            #expect(problem.contains("'\(empty)' has no certificate in PEM"))
        }
    }

    @Test("One certificate that cannot be read does not take the others away") func unreadable() throws {
        let broken = "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n"
        try withFile(broken + Self.pem() + broken) { file in
            let roots = SystemRoots.read(named: file, places: [])
            #expect(roots.problem == nil && roots.count == 1)
        }
    }
}
