import Foundation
import TestLimits
import TestSupport
import Testing

@testable import ChainSources

/// The key usage of leaves, beside OpenSSL's judgement of servers (`verify -purpose sslserver`).
@Suite(.inTurn) struct LeafUsageTests {
    private static let usages = [
        nil, "digitalSignature", "keyEncipherment", "keyAgreement", "digitalSignature,keyEncipherment", "cRLSign",
        "nonRepudiation",
        "dataEncipherment", "nonRepudiation,dataEncipherment", "critical,cRLSign", "critical,keyAgreement,encipherOnly",
    ]

    @Test(
        "A leaf whose key may not do what TLS needs is refused, as by OpenSSL",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: NginxServer.openssl),
            "needs openssl: .ci/install brings it"
        ),
        arguments: usages
    )
    func usage(_ usage: String?) async throws {
        let folder = try TemporaryFolder("sources")
        try folder.write("[req]\ndistinguished_name = dn\n[dn]\n", "config")
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-config", "config", "-days", "2"]
        let root = ["-keyout", "root.key", "-out", "root", "-subj", "/CN=root"]
        let isAuthority = ["-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign"]
        try #require(folder.openssl(["req", "-x509"] + key + root + isAuthority) == 0)
        var leaf = ["-CA", "root", "-CAkey", "root.key", "-keyout", "leaf.key", "-out", "leaf", "-subj", "/CN=leaf"]
        leaf += ["-addext", "subjectAltName=DNS:a.example", "-addext", "extendedKeyUsage=serverAuth"]
        if let usage { leaf += ["-addext", "keyUsage=\(usage)"] }
        try #require(folder.openssl(["req", "-x509"] + key + leaf) == 0)
        let isTaken = try folder.openssl(["verify", "-purpose", "sslserver", "-CAfile", "root", "leaf"]) == 0
        #expect(isTaken == (usage.map { $0.contains("digital") || $0.contains("key") } ?? true))

        let chain = try ["leaf", "root"].map { name in
            try #require(
                try ImportFile.certificates([UInt8](Data(contentsOf: folder.url.appending(path: name))), name).first
            )
        }
        let time = Int64(Date().timeIntervalSince1970)
        let outcome = await ChainValidator(roots: [chain[1]]).validate([chain[0]], host: "a.example", at: time)
        #expect(outcome == (isTaken ? .validated(chain) : .refused("the leaf's key usage is not for TLS")))
    }
}
