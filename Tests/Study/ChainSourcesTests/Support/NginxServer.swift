import Foundation
import LiveServers
import TestSupport
import Testing

@testable import ChainSources

/// nginx on loopback, with keys and certificates that `openssl` makes: below one root, and as many as a test wants.
final class NginxServer {
    /// Whether Debian's nginx and OpenSSL's command are there; `.ci/install` brings both.
    static let isInstalled = [nginx, openssl].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    static let nginx = "/usr/sbin/nginx"
    static let openssl = "/usr/bin/openssl"

    let folder: TemporaryFolder
    let port: Int
    private var process: HelperProcess?

    init() throws {
        port = try Int(ServerPort.take())
        folder = try TemporaryFolder("sources")
        try authority("root", below: nil)
        try authority("issuer", below: "root")
        try folder.write(
            """
            daemon off; master_process off; pid \(path("nginx.pid")); error_log stderr;
            events {}
            http {
                access_log off;
                client_body_temp_path \(path("t1")); proxy_temp_path \(path("t2")); fastcgi_temp_path \(path("t3"));
                uwsgi_temp_path \(path("t4")); scgi_temp_path \(path("t5"));
                server {
                    listen 127.0.0.1:\(port) ssl;
                    ssl_certificate \(path("chain.pem")); ssl_certificate_key \(path("leaf.key"));
                    return 204;
                }
            }
            """,
            "nginx.conf"
        )
    }

    func path(_ name: String) -> String { folder.path(name) }

    /// A new leaf for a host, with a new key unless the one from before is kept; the server presents it from now on.
    func rotate(host: String, keepingKey: Bool = false) throws {
        stop()
        if !keepingKey { try newKey("leaf") }
        try certify("leaf", below: "issuer", name: host, extensions: "subjectAltName=DNS:\(host)")
        let chain = try ["leaf", "issuer"].map { try String(contentsOfFile: path("\($0).pem"), encoding: .utf8) }
        try folder.write(chain.joined(), "chain.pem")
        process = try HelperProcess(
            silent: [Self.nginx, "-p", folder.url.path, "-c", path("nginx.conf"), "-e", "stderr"],
            port: port
        )
    }

    func stop() { process = nil }

    /// The key's pin as OpenSSL computes it: base64 of SHA-256 of SubjectPublicKeyInfo.
    func pin(_ name: String) throws -> String {
        try run(["pkey", "-in", path("\(name).key"), "-pubout", "-outform", "DER", "-out", path("spki")])
        try run(["dgst", "-sha256", "-binary", "-out", path("digest"), path("spki")])
        return try Data(contentsOf: URL(filePath: path("digest"))).base64EncodedString()
    }

    /// What `openssl s_client -showcerts` prints of a connection to the server.
    func clientOutput(host: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: Self.openssl)
        process.arguments = ["s_client", "-connect", "127.0.0.1:\(port)", "-servername", host, "-showcerts"]
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// The root's certificate in DER.
    func root() throws -> [[UInt8]] {
        let pem = try Data(contentsOf: URL(filePath: path("root.pem")))
        return try ImportFile.certificates([UInt8](pem), "root")
    }

    // MARK: - Keys and certificates

    private func authority(_ name: String, below issuer: String?) throws {
        try newKey(name)
        try certify(name, below: issuer, name: name, extensions: "basicConstraints=critical,CA:TRUE")
    }

    private func newKey(_ name: String) throws {
        try run(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path("\(name).key")])
    }

    private func certify(_ name: String, below issuer: String?, name common: String, extensions: String) throws {
        let signing = issuer.map { ["-CA", path("\($0).pem"), "-CAkey", path("\($0).key")] } ?? []
        try run(
            [
                "req", "-x509", "-new", "-key", path("\(name).key"), "-subj", "/CN=\(common)", "-days", "30", "-addext",
                extensions, "-out", path("\(name).pem"), "-config", "/dev/null",
            ] + signing
        )
    }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: Self.openssl)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "openssl \(arguments.joined(separator: " "))")
    }
}
