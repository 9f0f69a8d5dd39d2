import Foundation
import SPKIPins
import TestLimits
import TestSupport
import Testing

/// The certificates that this machine trusts, and the `openssl` it has.
private enum Machine {
    static let folder = "/etc/ssl/certs"
    static let bundle = folder + "/ca-certificates.crt"

    static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    static var canCompare: Bool { openssl != nil && FileManager.default.isReadableFile(atPath: bundle) }
}

@Suite(.inTurn) struct OpenSSLAgreementTests {
    @Test(
        "Certificates of the machine's bundle have the pins that openssl computes",
        .enabled(if: Machine.canCompare, "needs openssl and /etc/ssl/certs/ca-certificates.crt")
    )
    func agreesOverTheBundle() throws {
        let text = [UInt8](try Data(contentsOf: URL(filePath: Machine.bundle)))
        let all = try PEM.certificates(in: text.span)
        #expect(all.count > 50)
        // Four runs of openssl each.
        let certificates = Effort.sample(of: all, usual: 20)
        let folder = TemporaryFolder.place("spki")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (index, certificate) in certificates.enumerated() {
            try Data(certificate).write(to: folder.appending(path: "\(index).der"))
        }
        let expected = try pinsByOpenSSL(in: folder, count: certificates.count)
        try #require(expected.count == certificates.count)
        for (certificate, pin) in zip(certificates, expected) {
            #expect(try Pin(ofCertificate: certificate.span).description == "sha256/\(pin)")
            let tree = try #require(DERTree.subjectPublicKeyInfo(of: certificate))
            #expect(Pin(hashing: tree.span).description == "sha256/\(pin)")
        }
    }

    private func pinsByOpenSSL(in folder: URL, count: Int) throws -> [Substring] {
        let script = """
            i=0
            while [ $i -lt \(count) ]; do
                "$0" x509 -inform der -in $i.der -noout -pubkey | "$0" pkey -pubin -outform der \
                    | "$0" dgst -sha256 -binary | "$0" base64
                i=$((i + 1))
            done
            """
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script, try #require(Machine.openssl)]
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}
