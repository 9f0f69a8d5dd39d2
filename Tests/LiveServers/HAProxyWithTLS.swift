internal import Crypto
internal import Foundation
internal import SwiftASN1
package import X509

/// HAProxy on loopback that ends TLS, and passes the bytes on to a server of this machine.
package final class HAProxyWithTLS {
    package let port: Int
    private let folder: URL
    private let process = Process()

    /// - Parameters:
    ///   - leaf: its certificate.
    ///   - clients: the authority whose certificates clients must present; `nil` to ask for none.
    ///   - server: the port behind it.
    package init(_ leaf: Keyed, clients: Certificate? = nil, server: UInt16) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "haproxy-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        port = try Int(ServerPort.take())
        let pair = try leaf.certificate.serializeAsPEM().pemString + "\n" + leaf.key.pemRepresentation
        try pair.write(to: folder.appending(path: "leaf.pem"), atomically: true, encoding: .utf8)
        var bind = "bind 127.0.0.1:\(port) ssl crt \(folder.path)/leaf.pem"
        if let clients {
            let pem = try clients.serializeAsPEM().pemString
            try pem.write(to: folder.appending(path: "clients.pem"), atomically: true, encoding: .utf8)
            bind += " ca-file \(folder.path)/clients.pem verify required"
        }
        let configuration = """
            defaults
                mode tcp
                timeout connect 5m
                timeout client 5m
                timeout server 5m
            frontend tls
                \(bind)
                default_backend proxy
            backend proxy
                server one 127.0.0.1:\(server)

            """
        let file = folder.appending(path: "haproxy.cfg")
        try configuration.write(to: file, atomically: true, encoding: .utf8)
        process.executableURL = URL(filePath: "/usr/sbin/haproxy")
        process.arguments = ["-db", "-q", "-f", file.path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try await eventually("haproxy listens") {
            guard process.isRunning else { throw PeerFailure(what: "haproxy did not start") }
            return (try? ByteStream(port: UInt16(port))) != nil
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }
}
