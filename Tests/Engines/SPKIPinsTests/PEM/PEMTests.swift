import SPKIPins
import TestSupport
import Testing
import WireFormat

@Suite struct PEMTests {
    /// "AQID" is 1, 2, 3 (RFC 4648 section 4).
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    private func read(_ text: String) throws -> [[UInt8]] {
        let bytes = [UInt8](text.utf8)
        return try PEM.certificates(in: bytes.span)
    }

    @Test("What openssl wrote reads as Foundation reads it", arguments: Fixture.all)
    func readsFixtures(fixture: Fixture) throws {
        let text = try fixture.text
        let found = try PEM.certificates(in: text.span)
        let expected = [try fixture.der]
        #expect(found == expected)
    }

    @Test("RFC 7468 section 2: text before, between and after the blocks is not read")
    func textBetween() throws {
        let text = "Subject: A\n\(Self.begin)\nAQID\n\(Self.end)\nB == C -----\n\n\(Self.begin)\nBAU=\n\(Self.end)\nend"
        #expect(try read(text) == [[1, 2, 3], [4, 5]])
    }

    @Test("Line breaks: CRLF, none at the end, a byte order mark, lines of any length, blanks behind a boundary")
    func lineBreaks() throws {
        #expect(try read("\(Self.begin)\r\nAQ\r\nID\r\n\r\n\(Self.end)\r\n") == [[1, 2, 3]])
        #expect(try read("\u{FEFF}\(Self.begin) \t\nA\nQ\nI\nD\n\(Self.end)") == [[1, 2, 3]])
        #expect(try read("") == [])
        #expect(try read("no block here\n") == [])
    }

    @Test("Blocks of another label are passed over, whatever they hold")
    func otherLabels() throws {
        let key = "-----BEGIN PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n!!\n-----END PRIVATE KEY-----\n"
        let revocations = "-----BEGIN X509 CRL-----\nAQID\n-----END X509 CRL-----\n"
        #expect(try read(key + revocations + "\(Self.begin)\nAQID\n\(Self.end)") == [[1, 2, 3]])
    }

    @Test(
        "Certificates of the older labels of RFC 7468 section 5.1",
        arguments: ["X509 CERTIFICATE", "X.509 CERTIFICATE"]
    )
    func olderLabels(label: String) throws {
        #expect(try read("-----BEGIN \(label)-----\nAQID\n-----END \(label)-----\n") == [[1, 2, 3]])
    }

    @Test("A certificate with OpenSSL's trust settings is the first of the two elements")
    func trusted() throws {
        // A SEQUENCE with the number 5, and an empty one (X.690 8.9).
        let text = "-----BEGIN TRUSTED CERTIFICATE-----\nMAMCAQUwAA==\n-----END TRUSTED CERTIFICATE-----\n"
        #expect(try read(text) == [[0x30, 3, 2, 1, 5]])
    }

    @Test(
        "Each damage has its error and its line",
        arguments: [
            ("x\n\(begin)\nAQID\n", .unterminated(line: 2)),
            ("\(begin)\nAQID\n\(begin)\nAQID\n\(end)\n", .nestedBegin(line: 3, outer: 1)),
            ("\n\n\(end)\n", .unexpectedEnd(line: 3)),
            ("\(begin)\nAQID\n-----END PRIVATE KEY-----\n", .unexpectedEnd(line: 3)),
            ("\(begin)\n\(end)\n", .emptyBlock(line: 1)),
            ("\(begin)\nAQID\nAQ!D\n\(end)\n", .invalidBase64(line: 3)),
            ("\(begin)\nAQID\n\nAQI D\n\(end)\n", .invalidBase64(line: 4)),
            ("\(begin)\nAQI=\nAQID\n\(end)\n", .invalidBase64(line: 2)),
            ("\(begin)\nAQ-_\n\(end)\n", .invalidBase64(line: 2)),
            ("\(begin)\n AQID\n\(end)\n", .invalidBase64(line: 2)),
            ("\(begin)\nProc-Type: 4\nAQID\n\(end)\n", .invalidBase64(line: 2)),
            ("\(begin)\nAQIDB\n\(end)\n", .invalidEnding(line: 1)),
            ("\(begin)\nAQI\n\(end)\n", .invalidEnding(line: 1)),
            ("\(begin)\nAQJ=\n\(end)\n", .invalidEnding(line: 1)),
            ("  \(begin)\n  AQID\n  \(end)\n", .malformedBoundary(line: 1)),
            ("-----BEGIN CERTIFICATE----\nAQID\n\(end)\n", .malformedBoundary(line: 1)),
            ("-----BEGIN -----\nAQID\n", .malformedBoundary(line: 1)),
            ("\(begin)\nAQID\n-----END CERTIFICATE", .malformedBoundary(line: 3)),
        ] as [(String, PEMError)]
    )
    func damaged(text: String, error: PEMError) {
        #expect(throws: error) { try read(text) }
    }

    @Test("A block larger than the largest certificate is refused before it is decoded")
    func oversizedBlock() {
        let line = String(repeating: "A", count: 64)
        let text = "\(Self.begin)\n" + String(repeating: line + "\n", count: 1400) + Self.end
        #expect(throws: PEMError.certificateTooLarge(line: 1, limit: 65_536)) { try read(text) }
    }

    @Test("Cut anywhere, a text gives an error or the certificates before the cut", arguments: UInt64(1)...4)
    func cuts(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let fixtures = Fixture.all.shuffled(using: &generator).prefix(3)
        let text = try fixtures.flatMap { try $0.text }
        let all = try fixtures.map { try $0.der }
        for count in stride(from: 0, through: text.count, by: 7) {
            let prefix = Array(text.prefix(count))
            let found: [[UInt8]]
            do { found = try PEM.certificates(in: prefix.span) } catch { continue }
            #expect(found == Array(all.prefix(found.count)), "cut at \(count)")
        }
        let found = try PEM.certificates(in: text.span)
        #expect(found == all)
    }

    @Test("Blanks at the end of a line of contents are passed over, and nowhere else")
    func trailingBlanks() throws {
        #expect(try read("\(Self.begin)\nAQ \t\r\nID \n \t\n\(Self.end)\n") == [[1, 2, 3]])
        #expect(throws: PEMError.invalidBase64(line: 2)) { try read("\(Self.begin)\nAQ ID\n\(Self.end)\n") }
    }

    @Test("Damage to the contents of one certificate costs no other one, and other blocks are named")
    func contents() throws {
        let large = String(repeating: String(repeating: "A", count: 64) + "\n", count: 1400)
        let list = "-----BEGIN X509 CRL-----\nAQID\n-----END X509 CRL-----\n"
        let blocks = ["AQID\n", "AQ!D\n", large, "", "AQIDB\n", "BAU=\n"].map { "\(Self.begin)\n\($0)\(Self.end)\n" }
        let bytes = [UInt8]((blocks.joined() + list + list).utf8)
        let found = try CertificateInput.contents(in: bytes.span)
        #expect(
            found.certificates == [
                .success([1, 2, 3]), .failure(.invalidBase64(line: 5)),
                .failure(.certificateTooLarge(line: 7, limit: 65_536)), .failure(.emptyBlock(line: 1409)),
                .failure(.invalidEnding(line: 1411)), .success([4, 5]),
            ]
        )
        #expect(found.otherLabels == ["X509 CRL"])
        #expect(throws: PEMError.invalidBase64(line: 5)) { try CertificateInput.certificates(in: bytes.span) }
        // Which lines belong to which block is open here.
        let cut = [UInt8]((blocks[0] + Self.begin + "\nAQID\n").utf8)
        #expect(throws: PEMError.unterminated(line: 4)) { try CertificateInput.contents(in: cut.span) }
    }
}
