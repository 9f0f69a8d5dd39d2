internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import TestSupport
package import X509

/// HAProxy on loopback that ends TLS, and passes the bytes on to a server of this machine.
package final class HAProxyWithTLS {
    package let port: Int
    private let folder: TemporaryFolder
    private let process: HelperProcess

    /// - Parameters:
    ///   - leaf: its certificate.
    ///   - clients: the authority whose certificates clients must present; `nil` to ask for none.
    ///   - server: the port behind it.
    package init(_ leaf: Keyed, clients: Certificate? = nil, server: UInt16) async throws {
        folder = try TemporaryFolder("haproxy")
        port = try Int(ServerPort.take())
        let pair = try leaf.certificate.serializeAsPEM().pemString + "\n" + leaf.key.pemRepresentation
        var bind = "bind 127.0.0.1:\(port) ssl crt \(try folder.write(pair, "leaf.pem"))"
        if let clients {
            let pem = try clients.serializeAsPEM().pemString
            bind += " ca-file \(try folder.write(pem, "clients.pem")) verify required"
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
        let file = try folder.write(configuration, "haproxy.cfg")
        process = try HelperProcess(silent: ["/usr/sbin/haproxy", "-db", "-f", file], port: port)
    }
}
