import Foundation
import LiveServers
import Sallyport
import SwiftASN1
import Testing
import X509

/// The snippets for clients, over https at a real server whose authority is one of the tests.
///
/// They run in a program of their own, because the roots of the system are read once for a process. HAProxy ends the TLS.
@Suite(.inTurn, .serialized, .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP, .haproxy)) struct ClientSnippetTests {
    /// The program is in the folder of the test bundle.
    private static let program = URL(filePath: CommandLine.arguments.first ?? "").deletingLastPathComponent()
        .appending(path: "SnippetProgram").path
    private static let place = "/etc/ssl/certs/ca-certificates.crt"
    private let root: TestAuthority
    private let leaf: Keyed
    private let folder: URL

    init() throws {
        root = try TestAuthority("Root of the tests")
        leaf = try root.leaf("localhost")
        folder = FileManager.default.temporaryDirectory.appending(path: "snippets-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try GuardedServer.password.write(to: folder.appending(path: "password"), atomically: true, encoding: .utf8)
        let pem = try root.own.certificate.serializeAsPEM().pemString
        try pem.write(to: folder.appending(path: "root.pem"), atomically: true, encoding: .utf8)
    }

    /// The lines that the program prints for a snippet. A variable names the file `roots`; with `system` that file has the place of the
    /// system's instead, in a name space of the program's own.
    private func lines(
        _ snippet: String,
        _ server: GuardedServer,
        roots: String = "root.pem",
        system: String? = nil,
        _ more: [String] = []
    ) async throws -> [String] {
        defer { try? FileManager.default.removeItem(at: folder) }
        let haproxy = try await HAProxyWithTLS(leaf, server: server.address().port)
        let url = "https://localhost:\(haproxy.port)\(server.page(1))"
        let user = server.kind.scheme == .ntlm ? "\(ServerScript.domain)\\jdoe" : "jdoe"
        var environment = ["HOME": folder.path, "SSL_CERT_FILE": ""]
        var command: [String] = []
        if let system {
            // Without such a file the place is empty.
            let mount =
                "if [ -e \"$1\" ]; then mount --bind \"$1\" \(Self.place); else mount -t tmpfs none /etc/ssl/certs; fi"
            let file = folder.appending(path: system).path
            command = ["unshare", "-m", "sh", "-c", "\(mount) && shift && exec \"$@\"", "sh", file]
        } else {
            environment["SSL_CERT_FILE"] = folder.appending(path: roots).path
        }
        let program = try HelperProcess(
            command + [
                Self.program, snippet, url, server.kind.scheme.name, user, folder.appending(path: "password").path,
            ]
                + more,
            environment: environment
        )
        var lines: [String] = []
        while let line = try? program.readLine() { lines.append(line) }
        return lines
    }

    @Test(
        "Each client gets the page with its defaults",
        arguments: ["async-http-client", "url-session", "nio"],
        GuardedServer.Kind.apache
    )
    func clients(snippet: String, kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        #expect(try await lines(snippet, server) == ["200"])
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("The outcome says why nothing was sent") func outcome() async throws {
        let server = try await GuardedServer.started(.apacheDigest)
        #expect(
            try await lines("nio-without-account", server) == [
                "origin, 401 Unauthorized: \(Refusal.noCredential)", "401",
            ]
        )
    }

    @Test("The right pin gets the page") func pins() async throws {
        let server = try await GuardedServer.started(.apacheDigest)
        let spare = "sha256/OAOs83VDVIaXgiAZaucBZVZOmkrUnBgCYBuwTWNZAT8="
        let pin = try leaf.pin
        #expect(try await lines("pinned", server, ["\(pin)", spare]) == ["200"])
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("A wrong pin is an error, and the server sees no log-on") func wrongPin() async throws {
        let server = try await GuardedServer.started(.apacheDigest)
        let (wrong, spare) = (try root.leaf("localhost").pin, "sha256/OAOs83VDVIaXgiAZaucBZVZOmkrUnBgCYBuwTWNZAT8=")
        let printed = try await lines("pinned", server, ["\(wrong)", spare])
        #expect(printed.count == 1)
        #expect(printed.first?.hasPrefix("error https://localhost:") == true, "\(printed)")
        #expect(printed.first?.contains(": the server has no pinned key: ") == true, "\(printed)")
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test(
        "Without the roots of the system one line says so, with the file and the remedy",
        arguments: ["nio", "url-session"]
    )
    func noRoots(snippet: String) async throws {
        let server = try await GuardedServer.started(.apacheDigest)
        let printed = try await lines(snippet, server, roots: "missing.pem")
        let file = folder.appending(path: "missing.pem").path
        let problem = "cannot read '\(file)': No such file or directory"
        let remedy = "correct SSL_CERT_FILE, which names the file"
        #expect(printed.count == 1, "\(printed)")
        #expect(printed.first?.hasPrefix("error https://localhost:") == true, "\(printed)")
        #expect(
            printed.first?.hasSuffix(": the roots of the system are missing: \(problem): \(remedy)") == true,
            "\(printed)"
        )
    }

    @Test("With a store the password is found, used and forgotten") func asking() async throws {
        let server = try await GuardedServer.started(.apacheDigest)
        #expect(try await lines("asking", server) == ["200, 1 record left the store"])
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("The ported delegate sends a wrong password once, asks, and gets the page", .needs(.namespaces))
    func controller() async throws {
        let server = try await GuardedServer.started(.apacheBasic)
        // URLSession on Linux reads the file of the system and no variable.
        #expect(try await lines("aw-controller", server, system: "root.pem") == ["asked for jdoe", "200"])
        #expect(try server.takeBadLogOns() == 1)
    }

    @Test("Without a variable the file of the system counts", .needs(.namespaces)) func systemFile() async throws {
        let server = try await GuardedServer.started(.apacheDigest)
        #expect(try await lines("nio", server, system: "root.pem") == ["200"])
    }

    @Test("A Debian without the package ca-certificates says what to install", .needs(.namespaces))
    func noPackage() async throws {
        let server = try await GuardedServer.started(.apacheDigest)
        let printed = try await lines("nio", server, system: "no.pem")
        #expect(printed.count == 1, "\(printed)")
        #expect(printed.first?.contains("cannot read '\(Self.place)': ") == true, "\(printed)")
        #expect(printed.first?.contains(": install the package ca-certificates, or name ") == true, "\(printed)")
    }
}
