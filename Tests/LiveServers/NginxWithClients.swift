internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import TestSupport
internal import Testing
package import X509

/// nginx on loopback that asks clients for a certificate, and answers with what it verified.
package final class NginxWithClients {
    package static let program = "/usr/sbin/nginx"
    package static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    package let port: Int
    private let folder: TemporaryFolder
    private var process: HelperProcess?

    /// - Parameters:
    ///   - verify: the value of `ssl_verify_client`.
    ///   - version: the value of `ssl_protocols`.
    ///   - others: further authorities of clients.
    ///   - options: commands of OpenSSL's configuration, such as `ClientSignatureAlgorithms ECDSA+SHA256`.
    package init(
        _ leaf: Keyed,
        clients: Certificate,
        verify: String = "on",
        version: String = "TLSv1.3",
        others: [Certificate] = [],
        options: [String] = []
    ) async throws {
        folder = try TemporaryFolder("nginx-clients")
        port = try Int(ServerPort.take())
        try write("", "revocation")
        try write(leaf.certificate.serializeAsPEM().pemString, "leaf.pem")
        try write(leaf.key.pemRepresentation, "leaf.key")
        let authorities = try ([clients] + others).map { try $0.serializeAsPEM().pemString }
        try write(authorities.joined(separator: "\n"), "clients.pem")
        let commands = options.map { "ssl_conf_command \($0);" }.joined(separator: " ")
        try write(
            """
            daemon off; master_process off; pid \(path("nginx.pid")); error_log stderr;
            events {}
            http {
                access_log off; keepalive_timeout 3600s; client_header_timeout 3600s;
                client_body_temp_path \(path("t1")); proxy_temp_path \(path("t2")); fastcgi_temp_path \(path("t3"));
                uwsgi_temp_path \(path("t4")); scgi_temp_path \(path("t5"));
                server {
                    listen 127.0.0.1:\(port) ssl;
                    ssl_certificate \(path("leaf.pem")); ssl_certificate_key \(path("leaf.key"));
                    ssl_client_certificate \(path("clients.pem")); ssl_verify_client \(verify);
                    ssl_protocols \(version); \(commands)
                    include \(path("revocation"));
                    return 200 "$ssl_client_verify $ssl_client_s_dn $ssl_protocol $ssl_client_serial $connection";
                }
            }
            """,
            "nginx.conf"
        )
        try start()
    }

    /// Starts again with a revocation list of `authority`, made by OpenSSL, on which `certificate` stands.
    package func revoke(_ certificate: Certificate, by authority: Keyed) async throws {
        let list = try RevocationMaker(authority).list([(certificate.serialDigits, "")])
        try write(list, "clients.crl")
        try write("ssl_crl \(path("clients.crl"));", "revocation")
        try start()
    }

    private func start() throws {
        // Ends the one before, so that the port is free.
        process = nil
        process = try HelperProcess(
            silent: [Self.program, "-p", folder.url.path, "-c", path("nginx.conf"), "-e", "stderr"],
            port: port
        )
    }

    private func path(_ name: String) -> String { folder.path(name) }
    private func write(_ text: String, _ name: String) throws { try folder.write(text, name) }
}
