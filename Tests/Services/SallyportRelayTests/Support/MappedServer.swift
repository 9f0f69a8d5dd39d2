import AllowedSites
import Credentials
import Crypto
import Foundation
import HTTPAuthentication
import Hostnames
import LiveServers
import Sallyport
import SallyportNIO
import SallyportRelay
import Secrets
import SwiftASN1
import X509

/// What tests of mappings share: an authority that the relay trusts, and a handler with one account for the server.
struct MappedServer {
    let authority: TestAuthority
    let leaf: Keyed

    init() throws {
        authority = try TestAuthority("Mapped")
        leaf = try authority.leaf("localhost", "127.0.0.1")
    }

    func tls(_ current: CurrentHandler) throws -> TLSConnector {
        var settings = TLSSettings.patient
        settings.roots = .certificates([try authority.own.der])
        return try TLSConnector(settings, current)
    }

    /// Writes certificate and key to files in `folder`.
    func write(to folder: URL) throws -> (certificate: String, key: String, root: String) {
        let files = ["certificate.pem", "key.pem", "root.pem"].map { folder.appending(path: $0) }
        try leaf.certificate.serializeAsPEM().pemString.write(to: files[0], atomically: true, encoding: .utf8)
        try leaf.key.pemRepresentation.write(to: files[1], atomically: true, encoding: .utf8)
        try authority.own.certificate.serializeAsPEM().pemString.write(to: files[2], atomically: true, encoding: .utf8)
        // The relay takes no key that other users may read.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files[1].path)
        return (files[0].path, files[1].path, files[2].path)
    }

    /// Runs `body` with a relay that stands for `server` at the port that `body` gets, without a parent if none is given.
    func run(
        _ server: Origin,
        _ handler: ChallengeHandler? = nil,
        authenticator: Authenticator? = nil,
        names: [Hostname] = [],
        parents: [RelayParent] = [],
        _ body: (Relay, UInt16) async throws -> Void
    ) async throws {
        var settings = RelaySettings()
        settings.listeners = []
        settings.parents = parents
        var mapping = RelayMapping(try ListenAddress(parsing: "127.0.0.1:0"), to: server)
        mapping.names = names
        settings.mappings = [mapping]
        let handler = try handler ?? TestRelay.noAccounts()
        let connector = try tls(authenticator?.current ?? CurrentHandler(handler))
        try await TestRelay.run(settings, handler, authenticator: authenticator, tls: connector) { relay, ports in
            try await body(relay, ports[0])
        }
    }
}

extension RelayClient {
    /// A request to a server, with its path as the target.
    func ask(_ path: String, host: String, _ fields: [String] = [], method: String = "GET") throws -> Response {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)"] + fields
        try send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return try readResponse()
    }
}
