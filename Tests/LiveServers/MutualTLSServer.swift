internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import TestSupport
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
    private let folder: TemporaryFolder
    private let process: HelperProcess

    package init() throws {
        let (controlPort, tokenPort, resourcePort) = try (ServerPort.take(), ServerPort.take(), ServerPort.take())
        control = "http://127.0.0.1:\(controlPort)/control"
        tokenEndpoint = "https://127.0.0.1:\(tokenPort)/token"
        resource = "https://127.0.0.1:\(resourcePort)"
        (root, clients) = try (TestAuthority("Service"), TestAuthority("Clients"))
        folder = try TemporaryFolder("oauth-mtls")
        let leaf = try root.leaf("127.0.0.1")
        var files: [String] = []
        for (text, name) in [
            (try leaf.certificate.serializeAsPEM().pemString, "leaf.pem"), (leaf.key.pemRepresentation, "leaf.key"),
            (try clients.own.certificate.serializeAsPEM().pemString, "clients.pem"),
        ] {
            files.append(try folder.write(text, name))
        }
        let ports = [controlPort, tokenPort, resourcePort].map { "\($0)" }
        process = try HelperProcess(server: "oauth-mtls", ports + files)
    }
}
