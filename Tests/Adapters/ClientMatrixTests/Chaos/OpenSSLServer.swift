import Crypto
import Foundation
import Hostnames
import LiveServers
import SwiftASN1
import TestSupport
import X509

/// `openssl s_server` on loopback: what is typed goes to its client, except for its commands, such as `R`.
///
/// `@unchecked Sendable` is safe, because one task uses a server.
final class OpenSSLServer: @unchecked Sendable {
    let origin: Origin
    private let process: HelperProcess
    private let folder: URL

    /// - Parameter options: further options of `openssl s_server`.
    init(_ leaf: Keyed, _ options: [String]) throws {
        folder = TemporaryFolder.place("openssl-server")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (certificate, key) = (folder.appending(path: "leaf.pem"), folder.appending(path: "leaf.key"))
        try leaf.certificate.serializeAsPEM().pemString.write(to: certificate, atomically: true, encoding: .utf8)
        try leaf.key.pemRepresentation.write(to: key, atomically: true, encoding: .utf8)
        let port = try ServerPort.take()
        origin = try Origin(parsing: "https://localhost:\(port)")
        process = try HelperProcess(
            ["openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificate.path, "-key", key.path]
                + options
        )
        try wait { $0 == "ACCEPT" }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func waitForRequest() throws { try wait { $0.hasPrefix("GET ") } }

    func type(_ lines: [String]) throws { for line in lines { try process.send(line) } }

    private func wait(for isAwaited: (String) -> Bool) throws {
        while !isAwaited(try process.readLine().trimmingCharacters(in: .whitespacesAndNewlines)) {}
    }
}
