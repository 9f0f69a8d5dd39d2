import Foundation
import LiveServers
import Sallyport
import SwiftASN1
import TestSupport
import Testing
import X509

/// Runs snippets over https at a real server whose authority is one of the tests.
///
/// They run in `TestProgram`, because the roots of the system are read once for a process. HAProxy ends the TLS.
final class SnippetHost {
    /// The file of the system, as Debian has it.
    static let place = "/etc/ssl/certs/ca-certificates.crt"
    let root: TestAuthority
    let leaf: Keyed
    /// The home of the program.
    let folder: URL

    init(_ host: String = "localhost") throws {
        root = try TestAuthority("Root of the tests")
        leaf = try root.leaf(host)
        folder = TemporaryFolder.place("snippets")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(GuardedServer.password, "password")
        try write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Writes a file that other users may not read, because secrets must lie in such files.
    func write(_ text: String, _ name: String) throws {
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name))
    }

    /// TLS in front of `server`.
    func secured(_ server: GuardedServer) async throws -> HAProxyWithTLS {
        try await HAProxyWithTLS(leaf, server: server.address().port)
    }

    /// The lines that the program prints for a snippet at a page that every user may see.
    func lines(
        _ snippet: String,
        _ server: GuardedServer,
        roots: String = "root.pem",
        system: String? = nil,
        _ more: [String] = []
    ) async throws -> [String] {
        let haproxy = try await secured(server)
        let user = server.kind.scheme == .ntlm ? "\(ServerScript.domain)\\jdoe" : "jdoe"
        return try lines(
            snippet,
            url: "https://localhost:\(haproxy.port)\(server.page(1))",
            scheme: server.kind.scheme,
            user: user,
            roots: roots,
            system: system,
            more
        )
    }

    /// The lines that the program prints for a snippet.
    ///
    /// - Parameters:
    ///   - roots: the file that a variable names.
    ///   - system: a file that has the place of the system's in a name space of the program's own, instead of the variable. Without
    ///     such a file the place is empty.
    ///   - more: what only some snippets need.
    func lines(
        _ snippet: String,
        url: String,
        scheme: AuthenticationScheme = .basic,
        user: String = "jdoe",
        roots: String = "root.pem",
        system: String? = nil,
        _ more: [String] = []
    ) throws -> [String] {
        var environment = ["HOME": folder.path, "SSL_CERT_FILE": ""]
        var command: [String] = []
        if let system {
            // A mount over the file itself would end when a program of the machine, such as apt, puts another file in its place.
            let mount =
                "mount -t tmpfs none /etc/ssl/certs && if [ -e \"$1\" ]; then cp \"$1\" \(Self.place); fi"
            command = ["unshare", "-m", "sh", "-c", "\(mount) && shift && exec \"$@\"", "sh", path(system)]
        } else {
            environment["SSL_CERT_FILE"] = path(roots)
        }
        let words = [BuiltProgram.forTests, "snippet", snippet, url, scheme.name, user, path("password")] + more
        let program = try HelperProcess(command + words, environment: environment)
        var lines: [String] = []
        while let line = try? program.readLine() { lines.append(line) }
        return lines
    }
}
