import LiveServers
import TestSupport
import Testing
import WireFormat

/// Texts of files that would steer a terminal, or write lines of their own into a report.
@Suite(.inTurn) struct PinsHostileTextTests {
    /// A certificate whose subject turns the direction of what follows.
    private static var certificate: String {
        var certificate = HandmadeCertificate()
        let name = Array("\u{202E}moc.live".utf8)
        certificate[.subject] = der(0x30, der(0x31, der(0x30, der(0x06, [0x55, 4, 3]), der(0x0C, name))))
        return "-----BEGIN CERTIFICATE-----\n\(Base64.encode(certificate.bytes.span))\n-----END CERTIFICATE-----\n"
    }

    /// A policy whose host and reason are not what they should be.
    private static let policy = """
        {"entries":[{"host":"x\\u001b[2J\\nCRITICAL  all","pins":["\(PinsRun.leaf)"],\
        "withoutBackup":"be\\u001b]0;t\\u0007\\rcause"}]}
        """

    private func expectQuiet(_ text: String) {
        #expect(
            text.unicodeScalars.allSatisfy {
                $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory)
            }
        )
    }

    @Test func audit() throws {
        let run = try PinsRun(["audit", "@policy"], files: ["policy": Self.policy])
        #expect(run.status == 1)
        expectQuiet(run.output)
        #expect(run.output.contains("x\\u{1b}[2J\\u{a}CRITICAL  all  (policy)\n"))
        #expect(run.output.contains("be\\u{1b}]0;t\\u{7}\\u{d}cause"))
        #expect(run.output.split(separator: "\n").count { $0.hasPrefix("CRITICAL") } == 1)
    }

    @Test func extractAndCheck() throws {
        let extracted = try PinsRun(["extract"], input: Self.certificate)
        #expect(extracted.status == 0 && extracted.output.contains("  subject  CN=\\u{202e}moc.live\n"))
        expectQuiet(extracted.output)
        let json = try PinsRun(["extract", "--json"], input: Self.certificate)
        #expect(json.output.contains(#""CN=\u202emoc.live""#))
        #expect(try json.objects().map { $0["subject"] as? String } == ["CN=\u{202E}moc.live"])
        expectQuiet(json.output)
        let files = [
            "policy": PinsRun.policy("host.example", pin: PinsRun.leaf, backup: PinsRun.issuer),
            "chain.pem": Self.certificate,
        ]
        let checked = try PinsRun(
            ["check", "--policy", "@policy", "--host", "host.example", "@chain.pem"],
            files: files
        )
        #expect(checked.status == 1 && checked.output.contains("CN=\\u{202e}moc.live\n"))
        expectQuiet(checked.output)
    }

    @Test func convert() throws {
        let run = try PinsRun(
            ["convert", "--from", "json", "--to", "okhttp", "@policy"],
            files: ["policy": Self.policy]
        )
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.error.split(separator: "\n").count == 2)
        #expect(run.error.hasPrefix("lost: \"x\\u{") && run.error.contains("[2J\\nCRITICAL  all\": "))
        expectQuiet(run.error)
        let key = "{\"entries\":[{\"a\\nb\\u001b\":1}]}"
        let refused = try PinsRun(["convert", "--from", "json", "--to", "okhttp", "@policy"], files: ["policy": key])
        #expect(refused.status == 2 && refused.error.split(separator: "\n").count == 1)
        expectQuiet(refused.error)
    }
}
