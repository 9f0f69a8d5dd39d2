import Foundation
import LiveServers
import Sallyport
import TestSupport
import Testing
import X509

@testable import Authenticator

/// What a person reads about a server that no authority vouches for, and what counts as trust.
@Suite struct TerminalTrustPromptTests {
    private let origin: Origin

    init() throws { origin = try Origin(parsing: "https://dev.acme.example:8443") }

    /// 2027-01-15T08:00:00Z, as `date -u -d @1800000000` says.
    private static let until: Int64 = 1_800_000_000

    private func server(_ leaf: Keyed, reason: String = "self-signed") throws -> UntrustedServer {
        try #require(UntrustedServer(origin: origin, reason: reason, chain: [leaf.der]))
    }

    @Test(
        "Rows 39 and 68: the question has the reason, the names, the dates, the issuer, the serial number and the pin"
    )
    func question() throws {
        let begin = Date(timeIntervalSince1970: 1_767_225_600)
        let changes = TestAuthority.Changes(begin: begin, end: begin + 86_400, commonName: "dev")
        let leaf = try TestAuthority("Acme Root").leaf("dev.acme.example", "127.0.0.1", "::1", changes: changes)
        let serial = leaf.certificate.serialNumber.bytes.drop { $0 == 0 }.map { String(format: "%02x", $0) }.joined(
            separator: ":"
        )
        let expected = """
            https://dev.acme.example:8443 is not trusted: self-signed.
              subject  "CN=dev"
              hosts    dev.acme.example, 127.0.0.1, ::1
              issuer   "CN=Acme Root"
              valid    from 2026-01-01T00:00:00Z until 2026-01-02T00:00:00Z
              key      EC, 256 bits
              serial   \(serial)
              pin      \(try leaf.pin)
            Ask the operator of the server for the pin of its key. If it is this one, type its first 8 characters behind sha256/: the
            key is trusted then at dev.acme.example, on every port, until 2027-01-15T08:00:00Z. Enter alone refuses it.

            """
        #expect(TerminalTrustPrompt.text(of: try server(leaf), until: Self.until) == expected)
    }

    @Test("What the server wrote adds no line, and cannot steer the terminal") func hostile() throws {
        let hostile = "a\u{1B}[2J\r\npin      sha256/AAAA\u{202E}é"
        let leaf = try TestAuthority("\u{7}" + hostile).leaf(
            "x\u{1B}]0;y\u{7}\n.example",
            changes: .init(commonName: hostile)
        )
        let text = TerminalTrustPrompt.text(of: try server(leaf, reason: hostile), until: Self.until)
        #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A }, "\(text)")
        #expect(text.split(separator: "\n").count == 10, "\(text)")
        #expect(text.contains(#"hosts    "x\u{1B}]0;y\u{07}\n.example""#), "\(text)")
    }

    @Test("Row 68: eight characters of the pin are trust, and a habit is not", .row(67, 68)) func typed() throws {
        let pin = try Pin(parsing: "sha256/lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8=")
        for right in [
            "lar8ZDFv", "sha256/lar8ZDFv", "lar8ZDFvf8PHG", "sha256/lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8=",
        ] {
            #expect(TerminalTrustPrompt.isBeginning(right, of: pin), "\(right)")
        }
        for wrong in [
            "", "y", "yes", "lar8ZDF", "sha256/l", "sha256/", "LAR8ZDFV", "lar8ZDFx", "lar8ZDFvf8PHx", "ar8ZDFvf",
            "lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8=x", "lar8ZDFv ",
        ] {
            #expect(!TerminalTrustPrompt.isBeginning(wrong, of: pin), "\(wrong)")
        }
    }
}
