internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import TestSupport
internal import X509

/// An ArcGIS portal, a server that is federated with it, and one that stands alone, which a script in `Tests/Servers` starts.
package final class ArcGISServers {
    /// The user that the portal and the server know, and the password.
    package static let (user, password) = ("jdoe", "Correct-Horse")
    /// The URLs of the portal, of the federated server and of the other one, without a slash at the end.
    package let portal, server, alone: String
    /// The URL of the test's own pages.
    package let control: String
    /// Vouches for both.
    package let root: TestAuthority
    private let folder: TemporaryFolder
    private var process: HelperProcess?

    package init() throws {
        let (controlPort, portalPort, serverPort) = try (ServerPort.take(), ServerPort.take(), ServerPort.take())
        control = "http://127.0.0.1:\(controlPort)/control/"
        portal = "https://127.0.0.1:\(portalPort)/portal"
        server = "https://127.0.0.1:\(serverPort)/server"
        alone = "https://127.0.0.1:\(serverPort)/alone"
        root = try TestAuthority("ArcGIS")
        folder = try TemporaryFolder("arcgis")
        let leaf = try root.leaf("127.0.0.1")
        try write(leaf.certificate.serializeAsPEM().pemString, "leaf.pem")
        try write(leaf.key.pemRepresentation, "leaf.key")
        try write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
        let ports = [controlPort, portalPort, serverPort].map { "\($0)" }
        let files = [path("leaf.pem"), path("leaf.key")]
        process = try HelperProcess(server: "arcgis-portal", ports + files)
    }

    /// Ends the portal and the servers.
    package func stop() { process = nil }

    /// What Esri's client for Python has done at the servers, a line each.
    package func esriClient() throws -> [String] {
        let client = try HelperProcess(
            ["python3", Script.server("arcgis_client.py"), portal, server, alone, Self.user, Self.password],
            environment: ["SSL_CERT_FILE": path("root.pem"), "REQUESTS_CA_BUNDLE": path("root.pem")]
        )
        var lines: [String] = []
        while let line = try? client.readLine() { lines.append(line) }
        return lines
    }

    private func path(_ name: String) -> String { folder.path(name) }
    private func write(_ text: String, _ name: String) throws {
        try folder.write(text, name)
    }
}
