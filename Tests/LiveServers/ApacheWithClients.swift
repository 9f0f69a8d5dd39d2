internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import TestSupport
package import X509

/// Apache on loopback that demands a client's certificate, and names its subject in the field `X-Subject` of its one page.
package final class ApacheWithClients {
    package let port: Int
    private let folder: TemporaryFolder
    private let process: HelperProcess

    /// - Parameters:
    ///   - version: the value of `SSLProtocol`.
    ///   - place: where it demands one: below this path after the handshake, or everywhere in the handshake for `nil`.
    package init(_ leaf: Keyed, clients: Certificate, version: String, place: String? = nil) async throws {
        let folder = try TemporaryFolder("apache-clients")
        let port = try Int(ServerPort.take())
        try folder.write(leaf.certificate.serializeAsPEM().pemString, "leaf.pem")
        try folder.write(leaf.key.pemRepresentation, "leaf.key")
        try folder.write(clients.serializeAsPEM().pemString, "clients.pem")
        let modules = "/usr/lib/apache2/modules"
        let demand = "SSLVerifyClient require"
        try folder.write(
            """
            ServerRoot \(folder.url.path)
            DefaultRuntimeDir \(folder.url.path)
            PidFile \(folder.path("pid"))
            ErrorLog /dev/stderr
            ServerName localhost
            User www-data
            Group www-data
            LoadModule mpm_event_module \(modules)/mod_mpm_event.so
            LoadModule authz_core_module \(modules)/mod_authz_core.so
            LoadModule alias_module \(modules)/mod_alias.so
            LoadModule headers_module \(modules)/mod_headers.so
            LoadModule ssl_module \(modules)/mod_ssl.so
            Mutex pthread
            StartServers 1
            ThreadsPerChild 25
            MinSpareThreads 5
            MaxRequestWorkers 50
            KeepAliveTimeout 3600
            Timeout 3600
            Listen 127.0.0.1:\(port)
            # The server's user may not read the folder.
            AliasMatch "^/.*$" /etc/debian_version
            SSLEngine on
            SSLProtocol \(version)
            SSLCertificateFile \(folder.path("leaf.pem"))
            SSLCertificateKeyFile \(folder.path("leaf.key"))
            SSLCACertificateFile \(folder.path("clients.pem"))
            \(place.map { "<Location \($0)>\n\(demand)\n</Location>" } ?? demand)
            Header always set X-Subject "%{SSL_CLIENT_S_DN}s"

            """,
            "httpd.conf"
        )
        process = try HelperProcess(silent: ["/usr/sbin/apache2", "-X", "-f", folder.path("httpd.conf")], port: port)
        (self.folder, self.port) = (folder, port)
    }
}
