import Foundation
import Hostnames
import TestLimits
import TestSupport
import Testing

@Suite(.inTurn) struct CertificateNameTests {
    /// Names of certificates, and the hosts of the list that they are for.
    private static let hosts = [
        "wiki.com", "wiki.co.uk", "a.wiki.co.uk", "wiki.github.io", "a.kawasaki.jp", "wiki.corp", "wiki.example",
        "w1.a.example", "a.example", "wiki", "xn--a.a.example",
        "b.w1.a.example", "WIKI.co.uk.",
    ]
    private static let cases: [(name: String, hosts: Set<String>)] = [
        ("*.com", []), ("*.example", []), ("*", []), ("*.", []), ("", []), ("*.*.example", []), ("a.*.example", []),
        ("*.co.uk", []), ("*.wiki.co.uk", ["a.wiki.co.uk"]), ("*.github.io", ["wiki.github.io"]), ("*.kawasaki.jp", []),
        ("*.corp", []), ("*.a.example", ["w1.a.example", "xn--a.a.example"]),
        ("*.A.Example", ["w1.a.example", "xn--a.a.example"]), ("wiki.co.uk", ["wiki.co.uk", "WIKI.co.uk."]),
        ("wiki", ["wiki"]), ("*.w1.a.example", ["b.w1.a.example"]),
    ]

    @Test("A wildcard is the whole first label, and what follows is no suffix of a registry", arguments: cases)
    func covers(_ item: (name: String, hosts: Set<String>)) {
        #expect(Set(Self.hosts.filter { CertificateName.covers(item.name, host: $0) }) == item.hosts)
    }

    /// RFC 9525 section 6.3: a wildcard is a whole label. OpenSSL takes a part of one unless it is told not to.
    @Test(
        "A wildcard that is a part of a label covers nothing",
        arguments: ["w*.a.example", "*1.a.example", "xn--*.a.example"]
    )
    func partial(name: String) {
        #expect(!Self.hosts.contains { CertificateName.covers(name, host: $0) })
    }

    @Test(
        "OpenSSL gives the same answers, apart from suffixes of two labels, which it does not know",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"),
            "needs openssl: .ci/install brings it"
        ),
        arguments: cases.filter { !["", "*.", "*.co.uk", "*.kawasaki.jp"].contains($0.name) }
    )
    func agreesWithOpenSSL(_ item: (name: String, hosts: Set<String>)) throws {
        let folder = try TemporaryFolder("names")
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", folder.path("key")]
        let names = ["-subj", "/CN=x", "-addext", "subjectAltName=DNS:\(item.name)", "-out", folder.path("leaf")]
        _ = try Self.openssl(["req", "-x509"] + key + names)
        for host in Self.hosts where !host.hasSuffix(".") {
            let answer = try Self.openssl(["x509", "-in", folder.path("leaf"), "-noout", "-checkhost", host])
            #expect(answer.contains("does match") == item.hosts.contains(host), "\(host): \(answer)")
        }
    }

    private static func openssl(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
