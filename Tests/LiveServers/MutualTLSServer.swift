internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// An OAuth service and a resource that know their clients by certificates, which a script in `Tests/Servers` starts.
package final class MutualTLSServer {
    /// The URL of the token endpoint.
    package let tokenEndpoint: String
    /// The URLs of the resource, and of the test's own pages, without a slash at the end.
    package let resource, control: String
    /// Vouches for both.
    package let root: TestAuthority
    /// Vouches for clients.
    package let clients: TestAuthority
    private let folder: URL
    private let process: HelperProcess

    package init() throws {
        let (controlPort, tokenPort, resourcePort) = try (ServerPort.take(), ServerPort.take(), ServerPort.take())
        control = "http://127.0.0.1:\(controlPort)/control"
        tokenEndpoint = "https://127.0.0.1:\(tokenPort)/token"
        resource = "https://127.0.0.1:\(resourcePort)"
        (root, clients) = try (TestAuthority("Service"), TestAuthority("Clients"))
        folder = FileManager.default.temporaryDirectory.appending(path: "oauth-mtls-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let leaf = try root.leaf("127.0.0.1")
        var files: [String] = []
        for (text, name) in [
            (try leaf.certificate.serializeAsPEM().pemString, "leaf.pem"), (leaf.key.pemRepresentation, "leaf.key"),
            (try clients.own.certificate.serializeAsPEM().pemString, "clients.pem"),
        ] {
            let file = folder.appending(path: name)
            try text.write(to: file, atomically: true, encoding: .utf8)
            files.append(file.path(percentEncoded: false))
        }
        let ports = [controlPort, tokenPort, resourcePort].map { "\($0)" }
        process = try HelperProcess([Script.server("oauth-mtls")] + ports + files)
        let line: String
        do { line = try process.readLine() } catch { throw PeerFailure(what: "oauth-mtls did not start: \(error)") }
        guard line == "ready" else { throw PeerFailure(what: "oauth-mtls said \(line.debugDescription)") }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
