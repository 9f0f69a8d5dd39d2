import Foundation
import TestLimits
import TestSupport
import Testing

@testable import ChainSources

/// Signatures with SHA-1, beside OpenSSL's judgement at the level of Debian's clients (`verify -auth_level 2`).
@Suite(.inTurn) struct WeakSignatureTests {
    /// The digests with which root, issuer and leaf are signed.
    private static let digests = [
        ["sha256", "sha256", "sha256"], ["sha1", "sha256", "sha256"], ["sha256", "sha1", "sha256"],
        ["sha256", "sha256", "sha1"], ["sha1", "sha384", "sha512"],
    ]

    @Test(
        "A certificate below the root that is signed with SHA-1 is refused, as by OpenSSL",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: NginxServer.openssl),
            "needs openssl: .ci/install brings it"
        ),
        arguments: digests
    )
    func signature(_ digests: [String]) async throws {
        let folder = try TemporaryFolder("sources")
        try folder.write("[req]\ndistinguished_name = dn\n[dn]\n", "config")
        let usual = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-config", "config", "-days", "2"]
        func make(_ name: String, by issuer: String?, _ digest: String, _ extensions: [String]) throws {
            var words = usual + ["-\(digest)", "-keyout", "\(name).key", "-out", name, "-subj", "/CN=\(name)"]
            if let issuer { words += ["-CA", issuer, "-CAkey", "\(issuer).key"] }
            try #require(folder.openssl(words + extensions.flatMap { ["-addext", $0] }) == 0)
        }
        let isAuthority = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign"]
        try make("root", by: nil, digests[0], isAuthority)
        try make("issuer", by: "root", digests[1], isAuthority)
        try make("leaf", by: "issuer", digests[2], ["subjectAltName=DNS:a.example", "extendedKeyUsage=serverAuth"])
        let words = ["verify", "-auth_level", "2", "-CAfile", "root", "-untrusted", "issuer", "leaf"]
        let isTaken = try folder.openssl(words) == 0
        #expect(isTaken == !digests.dropFirst().contains("sha1"))

        let chain = try ["leaf", "issuer", "root"].map { name in
            try #require(
                try ImportFile.certificates([UInt8](Data(contentsOf: folder.url.appending(path: name))), name).first
            )
        }
        let time = Int64(Date().timeIntervalSince1970)
        let outcome = await ChainValidator(roots: [chain[2]])
            .validate([chain[0], chain[1]], host: "a.example", at: time)
        #expect(
            outcome == (isTaken ? .validated(chain) : .refused("a certificate below the root is signed with SHA-1"))
        )
    }
}
