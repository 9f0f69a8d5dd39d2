import Crypto
import Foundation
import LiveServers
import SwiftASN1
import Testing
import X509

/// Mutual-TLS OAuth (RFC 8705) at a service of Python's ssl module, whose token endpoint demands a certificate.
@Suite(.inTurn, .serialized, .needs(.python)) struct CertificateSignInTests {
    private let server: MutualTLSServer
    private let folder: RequestFolder

    init() throws {
        (server, folder) = (try MutualTLSServer(), try RequestFolder())
        try folder.write(server.root.own.certificate.serializeAsPEM().pemString, "root.pem")
        let machine = try server.clients.client("machine")
        try folder.write(machine.pem, "machine.pem")
    }

    private var token: String { String(server.tokenEndpoint.dropLast("/token".count)) }
    private var options: [String] {
        ["--profile", folder.path("profile.yaml"), "--cacert", folder.path("root.pem")] + folder.key
    }

    /// - Parameter identities: the profile's client certificates.
    private func profile(_ identities: String = "") throws {
        try folder.write(
            """
            version: 1
            sites: ["\(server.resource)", "\(token)"]
            schemes: [bearer]
            accounts:
              - name: machine
                sites: ["\(server.resource)"]
                oauth: { issuer: "\(server.resource)", client: machine, certificate: true, grant: client-credentials }
            \(identities)
            """,
            "profile.yaml"
        )
    }

    private func control(_ page: String) async throws -> String {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try SallyportRun(
                ["-sS", "--noproxy", "*", "\(server.control)/\(page)"],
                program: URL(filePath: "/usr/bin/curl")
            ).output
        }
    }

    @Test("login presents --cert at the alias of the token endpoint, and get at the resource") func option()
        async throws
    {
        try profile()
        let without = try await folder.live(["login", "machine"] + options)
        #expect(
            without.status == 2 && without.error.contains("machine: no client certificate goes to \(token): name one")
        )
        #expect(try await control("grants") == "0")
        let certificate = ["--cert", folder.path("machine.pem")]
        let login = try await folder.live(["login", "machine"] + options + certificate)
        #expect(login.status == 0 && login.output.contains(", renewed by the client's certificate"), "\(login.error)")
        let get = try await folder.live(["get", "\(server.resource)/items"] + options + certificate)
        #expect(get.status == 0 && get.output.contains("one"), "\(get.error)")
        #expect(try await control("grants") == "1")
    }

    @Test("The token service of get sees the certificate of the profile") func identities() async throws {
        try profile(
            """
            identities:
              - name: laptop
                certificate: { file: machine.pem }
                sites: ["\(server.resource)", "\(token)"]
            """
        )
        let get = try await folder.live(
            ["get", "\(server.resource)/items", "--profile", folder.path("profile.yaml"), "--no-store"]
                + ["--cacert", folder.path("root.pem")]
        )
        #expect(get.status == 0 && get.output.contains("one"), "\(get.error)")
        #expect(try await control("grants") == "1")
    }
}
