import Corpora
import Foundation
import SPKIPins
import TestSupport
import Testing

/// Bytes of certificates are read by a short way and a long one; both must say the same.
@Suite struct CertificateBytesTests {
    private struct Made {
        let der: [UInt8]
        let pem: String
    }

    /// Certificates of all lengths around those at which lines and digits end.
    private static func certificates(_ count: Int, padding: Int = 0) -> [Made] {
        (0..<count).map { index in
            var parts = HandmadeCertificate()
            parts[.serial] = der(0x02, [0x40, UInt8(index >> 8), UInt8(index & 0xFF)])
            parts[.keyBits] = der(0x03, [0, 4], [UInt8](repeating: UInt8(index & 0xFF), count: 32))
            let bytes = [UInt8](repeating: 7, count: padding + index % 131)
            parts[.afterKey] = der(0xA3, der(0x30, der(0x30, der(0x06, [0x2A, 3, 4]), der(0x04, bytes))))
            let options: Data.Base64EncodingOptions = [.lineLength64Characters, .endLineWithLineFeed]
            let digits = Data(parts.bytes).base64EncodedString(options: options)
            return Made(
                der: parts.bytes,
                pem: "-----BEGIN CERTIFICATE-----\n\(digits)\n-----END CERTIFICATE-----\n"
            )
        }
    }

    private func read(_ certificates: [Made], pem: String) throws -> ChainRecording {
        let folder = TemporaryFolder.place("bytes")
        defer { try? FileManager.default.removeItem(at: folder) }
        var writer = try ChainRecordingWriter(folder: folder)
        for certificate in certificates {
            var entry = ChainRecordingWriter.Entry(
                first: 1_800_000_000,
                last: 1_800_000_000,
                endpoint: RecordedEndpoint(host: "a.example", port: 443)
            )
            entry.validated = [certificate.der]
            try writer.add(entry, keepingBytes: false)
        }
        try writer.commit()
        try Data(pem.utf8).write(to: folder.appending(path: "certificates.pem"))
        return try ChainRecording(folder: folder)
    }

    @Test("As we write them, in more pieces than one", arguments: [1, 64, 65, 131, 700])
    func ours(count: Int) throws {
        let made = Self.certificates(count, padding: count == 700 ? 2000 : 0)
        #expect(try read(made, pem: made.map(\.pem).joined()).verifiedCertificates == count)
    }

    @Test(
        "As others write them",
        arguments: [
            { @Sendable (pem: String) in pem.replacing("\n", with: "\r\n") },
            { "subject: somebody\n\n" + $0 + "\n" },
            { $0.replacing("\n", with: "\n\n") },
            { $0.replacing("-----\n", with: "-----  \n") },
            { pem in
                let digits = pem.split(separator: "\n").dropFirst().dropLast().joined()
                return "-----BEGIN CERTIFICATE-----\n\(digits)\n-----END CERTIFICATE-----\n"
            },
            { pem in
                let digits = pem.split(separator: "\n").dropFirst().dropLast().joined()
                let lines = stride(from: 0, to: digits.count, by: 13).map { digits.dropFirst($0).prefix(13) }
                return "-----BEGIN CERTIFICATE-----\n\(lines.joined(separator: "\n"))\n-----END CERTIFICATE-----\n"
            },
            { "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n" + $0 },
        ] as [@Sendable (String) -> String]
    )
    func others(_ change: @Sendable (String) -> String) throws {
        let made = Self.certificates(70)
        // Every third one, so that both ways take turns.
        let pem = made.enumerated().map { $0 % 3 == 0 ? change($1.pem) : $1.pem }.joined()
        #expect(try read(made, pem: pem).verifiedCertificates == 70)
    }

    @Test("A file without a last line end, and one that a crash cut short") func ends() throws {
        let made = Self.certificates(3)
        let pem = made.map(\.pem).joined()
        #expect(try read(made, pem: String(pem.dropLast())).verifiedCertificates == 3)
        #expect(try read(made, pem: String(pem.dropLast(40))).verifiedCertificates == 2)
        #expect(try read(made, pem: "").verifiedCertificates == 0)
    }

    @Test(
        "A changed certificate is found at its line",
        arguments: [
            ("MI", "MJ"), ("BwcH", "BwcI"), ("BwcH", "Bw=H"), ("BwcH", "Bw-H"), ("BwcH", ""), ("-----END", "----END"),
        ]
    )
    func changed(old: String, new: String) throws {
        let made = Self.certificates(5, padding: 150)
        var pems = made.map(\.pem)
        let range = try #require(pems[3].firstRange(of: old))
        pems[3].replaceSubrange(range, with: new)
        let line = 1 + pems[..<3].reduce(0) { $0 + $1.count { $0 == "\n" } }
        let error = try #require(throws: RecordingError.self) { try read(made, pem: pems.joined()) }
        #expect(error.path.hasSuffix("certificates.pem"))
        #expect(error.line == line)
    }

    @Test("The first defect is the one that is told") func order() throws {
        let made = Self.certificates(4)
        // The second is unknown, the third no base64.
        let pem = made[0].pem + made[1].pem + made[2].pem.replacing("MI", with: "M*") + made[3].pem
        let error = try #require(throws: RecordingError.self) {
            try read([made[0], made[2], made[3]], pem: pem)
        }
        #expect(error.line == 1 + made[0].pem.count { $0 == "\n" })
        #expect(error.problem.contains("certificates.ndjson"))
    }

    @Test("Endless input has a bound") func bound() throws {
        let made = Self.certificates(1)
        let text = String(repeating: "no certificate here\n", count: 20_000)
        let error = try #require(throws: RecordingError.self) { try read(made, pem: made[0].pem + text) }
        #expect(error.problem.contains("\(ChainRecording.Limits.blockBytes)"))
    }

    @Test("The largest certificate is read, a larger one is not") func largest() throws {
        let largest = Self.certificates(1, padding: 65_300)
        #expect(largest[0].der.count <= 65_536)
        #expect(try read(largest, pem: largest[0].pem).verifiedCertificates == 1)
        let digits = String(repeating: String(repeating: "A", count: 64) + "\n", count: 1400)
        let tooLarge = "-----BEGIN CERTIFICATE-----\n\(digits)-----END CERTIFICATE-----\n"
        let error = try #require(throws: RecordingError.self) { try read(largest, pem: largest[0].pem + tooLarge) }
        #expect(error.problem.contains("65536"))
    }
}
