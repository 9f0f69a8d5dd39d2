import Crypto
import Foundation
import LiveServers
import SwiftASN1
import TestLimits
import TestSupport
import Testing
import X509

/// Files of OpenSSL's that hold certificates in another form, where certificates are read.
@Suite(.inTurn, .needs(.openssl)) struct CertificateContainerTests {
    private static let bundle = ["crl2pkcs7", "-nocrl", "-certfile", "CERT"]
    private static let identity = ["pkcs12", "-export", "-in", "CERT", "-inkey", "KEY", "-passout", "pass:"]

    @Test(
        "PKCS #7 and #12 are called by their names, with the program that reads them",
        arguments: [
            (bundle + ["-outform", "DER"], "this is PKCS #7 (.p7b): ", "'openssl pkcs7 -inform DER -print_certs'"),
            (bundle, "contains no certificate, but a PKCS #7 message (PKCS7); ", "'openssl pkcs7 -print_certs'"),
            (identity, "this is PKCS #12 (.p12, .pfx): ", "'openssl pkcs12 -nokeys'"),
            (identity + ["-legacy"], "this is PKCS #12 (.p12, .pfx): ", "'openssl pkcs12 -nokeys'"),
        ]
    )
    func named(arguments: [String], problem: String, remedy: String) throws {
        let folder = try TemporaryFolder("containers")
        let leaf = try TestAuthority("Root").leaf("site.example")
        let places = [
            "CERT": try folder.write(leaf.certificate.serializeAsPEM().pemString, "leaf.pem"),
            "KEY": try folder.write(leaf.key.pemRepresentation, "leaf.key"),
        ]
        let file = folder.url.appending(path: "container").path
        let made = try SallyportRun(
            arguments.map { places[$0] ?? $0 } + ["-out", file],
            program: URL(filePath: "/usr/bin/openssl")
        )
        try #require(made.status == 0, "\(made.error)")
        let commands = [
            ["pins", "extract", file], ["pins", "audit", file],
            ["get", "https://127.0.0.1:1/", "--cacert", file, "--no-prompt", "--no-store"],
            ["record", "127.0.0.1:1", "--out", folder.url.appending(path: "out").path, "--roots", file],
        ]
        for command in commands {
            let run = try SallyportRun(command)
            #expect(run.status == 2 && run.output.isEmpty, "\(run)")
            #expect(run.error.contains("\(file): \(problem)") && run.error.contains(remedy), "\(run.error)")
            #expect(run.error.split(separator: "\n").count == 1, "\(run.error)")
        }
    }
}
