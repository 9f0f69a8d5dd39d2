internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import TestSupport
package import X509

/// Makes the revocation lists of an authority with OpenSSL, and asks OpenSSL about its certificates.
package final class RevocationMaker {
    /// When the entries are revoked: 2026-01-01T00:00:00Z.
    package static let date: Int64 = 1_767_225_600

    private let folder: TemporaryFolder

    package init(_ authority: Keyed) throws {
        folder = try TemporaryFolder("revocation")
        try folder.write(authority.certificate.serializeAsPEM().pemString, "authority.pem")
        try folder.write(authority.key.pemRepresentation, "authority.key")
    }

    /// A list in PEM.
    ///
    /// - Parameters:
    ///   - entries: serial numbers in hexadecimal digits, with the reason as OpenSSL writes it, or an empty one.
    ///   - times: the times of this list and of the next one, as `20260101000000Z`; `nil` for now and in 30 days.
    ///   - extensions: lines of OpenSSL's configuration.
    package func list(
        _ entries: [(serial: String, reason: String)] = [],
        times: (this: String, next: String)? = nil,
        extensions: [String] = []
    ) throws -> String {
        let lines = entries.map { entry in
            "R\t491231235959Z\t260101000000Z\(entry.reason.isEmpty ? "" : ",")\(entry.reason)\t\(entry.serial)\tunknown\t/CN=x\n"
        }
        try folder.write(lines.joined(), "index.txt")
        try folder.write(
            """
            [ca]
            default_ca = authority
            [authority]
            database = \(folder.path("index.txt"))
            certificate = \(folder.path("authority.pem"))
            private_key = \(folder.path("authority.key"))
            default_md = sha256
            default_crl_days = 30
            [added]
            \(extensions.joined(separator: "\n"))
            """,
            "ca.conf"
        )
        var arguments = ["ca", "-config", folder.path("ca.conf"), "-gencrl", "-out", folder.path("list.pem")]
        if let times { arguments += ["-crl_lastupdate", times.this, "-crl_nextupdate", times.next] }
        if !extensions.isEmpty { arguments += ["-crlexts", "added"] }
        guard try openssl(arguments) == 0 else { throw PeerFailure(what: "openssl makes no revocation list") }
        return try String(contentsOfFile: folder.path("list.pem"), encoding: .utf8)
    }

    /// Whether OpenSSL takes a certificate of the authority with a list in PEM.
    package func opensslTakes(_ leaf: Certificate, with list: String) throws -> Bool {
        try folder.write(leaf.serializeAsPEM().pemString, "leaf.pem")
        let file = try folder.write(list, "given.pem")
        let arguments = ["verify", "-crl_check", "-CAfile", folder.path("authority.pem"), "-CRLfile", file]
        return try openssl(arguments + [folder.path("leaf.pem")]) == 0
    }

    private func openssl(_ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}

extension Certificate {
    /// The serial number as OpenSSL's index has it.
    package var serialDigits: String { serialNumber.bytes.map { String(format: "%02X", $0) }.joined() }
}
