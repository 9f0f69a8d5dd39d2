import Foundation
import LiveServers
import TestLimits
import TestSupport
import Testing

/// OpenSSL servers with old ciphers and small keys.
@Suite(.row(77), .inTurn, .serialized, .needs(.openssl)) struct WeakServerTests {
    private let folder: RequestFolder

    init() throws { folder = try RequestFolder() }

    private func openssl(_ arguments: [String]) throws {
        let run = try SallyportRun(arguments, program: URL(filePath: "/usr/bin/openssl"))
        try #require(run.status == 0, "\(run.error)")
    }

    /// Makes `NAME.pem` and `NAME.key`; with an issuer, its files sign.
    private func certificate(_ name: String, bits: Int, by issuer: String? = nil, isAuthority: Bool) throws {
        let signing = issuer.map { ["-CA", folder.path("\($0).pem"), "-CAkey", folder.path("\($0).key")] } ?? []
        try openssl(
            [
                "req", "-x509", "-config", "/dev/null", "-newkey", "rsa:\(bits)", "-nodes", "-days", "5", "-subj",
                "/CN=\(isAuthority ? name : "localhost")", "-keyout", folder.path("\(name).key"), "-out",
                folder.path("\(name).pem"), "-addext", "basicConstraints=critical,CA:\(isAuthority ? "TRUE" : "FALSE")",
            ] + (isAuthority ? [] : ["-addext", "subjectAltName=DNS:localhost"]) + signing
        )
    }

    private func server(_ leaf: String, chain: String? = nil, _ options: [String]) async throws -> (HelperProcess, Int)
    {
        let port = Int(try ServerPort.take())
        let chain = chain.map { ["-cert_chain", folder.path("\($0).pem")] } ?? []
        let server = try HelperProcess(
            [
                "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-www", "-cert", folder.path("\(leaf).pem"),
                "-key",
                folder.path("\(leaf).key"),
            ] + chain + options
        )
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            while try server.readLine().trimmingCharacters(in: .whitespacesAndNewlines) != "ACCEPT" {}
        }
        return (server, port)
    }

    private func get(_ port: Int, trusting root: String, _ options: [String] = []) async throws -> SallyportRun {
        try await folder.live(
            ["get", "https://localhost:\(port)/", "--direct", "--cacert", folder.path("\(root).pem")] + options
        )
    }

    @Test("TLS 1.2 needs ECDHE and AEAD, unless an option allows an older cipher")
    func ciphers() async throws {
        try certificate("root", bits: 2_048, isAuthority: true)
        try certificate("leaf", bits: 2_048, by: "root", isAuthority: false)
        for (cipher, allowed) in [
            ("AES128-SHA", "AES128-SHA"), ("ECDHE-RSA-AES256-SHA", "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"),
        ] {
            let (server, port) = try await server("leaf", ["-tls1_2", "-cipher", "\(cipher):@SECLEVEL=0"])
            defer { withExtendedLifetime(server) {} }
            let refused = try await get(port, trusting: "root")
            #expect(refused.status == 2 && refused.output.isEmpty, "\(cipher)")
            #expect(refused.error.contains("it needs ECDHE with AES-GCM or ChaCha20-Poly1305"), "\(refused.error)")
            #expect(refused.error.contains("--allow-cipher") && !refused.error.dropLast().contains("\n"))
            let reached = try await get(port, trusting: "root", ["--allow-cipher", allowed])
            #expect(reached.status == 0 && reached.output.contains(cipher), "\(reached.error)")
        }
        let unknown = try folder.run(["get", "https://localhost/", "--allow-cipher", "RC4-MD5"])
        #expect(unknown.status == 2 && unknown.error.contains("AES128-SHA"), "\(unknown.error)")
    }

    @Test("RSA with 1024 bits is refused by its size, of a server, of an authority between, and of a root")
    func keys() async throws {
        try certificate("root", bits: 2_048, isAuthority: true)
        try certificate("small-root", bits: 1_024, isAuthority: true)
        try certificate("small-issuer", bits: 1_024, by: "root", isAuthority: true)
        try certificate("small-leaf", bits: 1_024, by: "root", isAuthority: false)
        try certificate("leaf", bits: 2_048, by: "small-issuer", isAuthority: false)
        for (leaf, chain, subject) in [
            ("small-leaf", nil as String?, "CN=localhost"), ("leaf", "small-issuer", "CN=small-issuer"),
        ] {
            let (server, port) = try await server(leaf, chain: chain, ["-cipher", "DEFAULT:@SECLEVEL=0"])
            defer { withExtendedLifetime(server) {} }
            let run = try await get(port, trusting: "root")
            #expect(run.status == 1, "\(run.error)")
            let expected = "the certificate of \"\(subject)\" has a weak key (RSA with 1024 bits, at least 2048)"
            #expect(run.error.contains(expected), "\(run.error)")
        }
        let run = try await get(443, trusting: "small-root")
        let expected = "small-root.pem: its key is too weak (RSA with 1024 bits, at least 2048); use an authority"
        #expect(run.status == 2 && run.error.contains(expected), "\(run.error)")
    }
}
