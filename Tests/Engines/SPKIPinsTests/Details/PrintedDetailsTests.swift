import SPKIPins
import TestLimits
import TestSupport
import Testing
import WireFormat

/// Every field that `pins extract` prints, beside what the `openssl` command prints of the same certificate.
@Suite(.inTurn) struct PrintedDetailsTests {
    private static let needed = "needs the openssl command, and Python with cryptography and libcrypto"

    private func agree(_ certificates: [[UInt8]]) throws {
        let answers = try CertificatePeers.answers(for: certificates, isPrinted: true)
        try #require(answers.count == certificates.count)
        for (index, (certificate, answer)) in zip(certificates, answers).enumerated() {
            let ours = try CertificateDetails(of: certificate.span)
            let printed = try #require(answer.command, "certificate \(index)")
            #expect(ours.pin.description == "sha256/\(printed.pin)", "certificate \(index)")
            #expect(numbered(ours.subject) == printed.subject, "certificate \(index)")
            #expect(numbered(ours.issuer) == printed.issuer, "certificate \(index)")
            #expect(Hexadecimal.encode(ours.serial.span) == printed.serial, "certificate \(index)")
            #expect(ours.notBefore == printed.notBefore, "certificate \(index)")
            #expect(ours.notAfter == printed.notAfter, "certificate \(index)")
            #expect(ours.isAuthority == printed.isCa, "certificate \(index)")
            #expect(ours.key.type == printed.keyType, "certificate \(index)")
            // Of Ed25519 and Ed448, openssl tells no size.
            #expect(ours.key.bits == printed.keyBits || ours.key.type.hasPrefix("Ed"), "certificate \(index)")
        }
    }

    @Test(
        "Every field of the machine's bundle is what the openssl command prints",
        .enabled(
            if: CertificatePeers.printHere && Corpus.hasBundle,
            "\(needed), and /etc/ssl/certs/ca-certificates.crt"
        )
    )
    func bundle() throws {
        let certificates = try Corpus.certificates([Corpus.bundle])
        #expect(certificates.count > 50)
        try agree(Effort.sample(of: certificates, usual: 20))
    }

    @Test(
        "Every field of recorded certificates is what the openssl command prints",
        .enabled(
            if: CertificatePeers.printHere && !RecordedCertificates.files.isEmpty,
            "\(needed); or \(RecordedCertificates.whyNot)"
        )
    )
    func recordings() throws {
        let certificates = try Corpus.certificates(RecordedCertificates.files)
        #expect(!certificates.isEmpty)
        try agree(certificates)
    }

    @Test("Fixtures of every kind of key", .enabled(if: CertificatePeers.printHere, "\(needed)"))
    func fixtures() throws { try agree(try Fixture.all.map { try $0.der }) }

    @Test(
        "Names, serials and constraints that certificates in use hardly have",
        .enabled(if: CertificatePeers.printHere, "\(needed)")
    )
    func oddCertificates() throws {
        var subjects: [[[UInt8]]] = []
        for text in ["a,b+c\"d\\e<f>g;h", " a ", "#a", "a#", "a\u{1B}[31m\u{7F}", "é日本", "=", "a=b,CN=c"] {
            subjects.append([attribute([0x55, 4, 3], 0x0C, [UInt8](text.utf8))])
        }
        // TeletexString and BMPString.
        subjects.append([attribute([0x55, 4, 3], 0x14, [0x61, 0xE9])])
        subjects.append([attribute([0x55, 4, 3], 0x1E, [0x65, 0xE5, 0x67, 0x2C])])
        // An identifier without a known name, and one without a name in RFC 4514.
        subjects.append([attribute([0x2B, 6, 1, 4, 1, 0x82, 0x37, 99], 0x13, [0x61])])
        subjects.append([attribute([0x55, 4, 5], 0x13, [0x31]), attribute([0x55, 4, 9], 0x13, [0x32])])
        let serials: [[UInt8]] = [[0x00], [0x7F], [0x00, 0x80], [0x80], [0xFF, 0x7F]]
        try agree(
            try subjects.enumerated().map { index, subject in
                let flag: [UInt8]? = [der(0x01, [0xFF]), [], nil][index % 3]
                return try certificate(subject, serial: serials[index % 5], constraints: flag)
            }
        )
    }

    /// RFC 4514 2.2 allows any order.
    @Test(
        "Intended: several values of one part keep the certificate's order, which the openssl command reverses",
        .enabled(if: CertificatePeers.printHere, "\(needed)")
    )
    func severalValuesInOnePart() throws {
        let both = attribute([0x55, 4, 3], 0x0C, [0x61]) + attribute([0x55, 4, 10], 0x0C, [0x62])
        let bytes = try certificate([both, attribute([0x55, 4, 3], 0x0C, [0x63])], serial: [1], constraints: nil)
        let answer = try CertificatePeers.answers(for: [bytes], isPrinted: true)
        #expect(answer.first?.command?.subject == "2.5.4.3=c,2.5.4.10=b+2.5.4.3=a")
        #expect(try CertificateDetails(of: bytes.span).subject == "CN=c,CN=a+O=b")
        #expect(answer.first?.cryptography?.subject == "CN=c,CN=a+O=b")
    }

    private func attribute(_ type: [UInt8], _ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
        der(0x30, der(0x06, type), der(tag, value))
    }

    /// A certificate of a sound key; without basic constraints where `constraints` is `nil`.
    private func certificate(_ subject: [[UInt8]], serial: [UInt8], constraints: [UInt8]?) throws -> [UInt8] {
        let key = try Fixture.named("p256")
        let info = try CertificateWalk(of: key.span).subjectPublicKeyInfo
        var certificate = HandmadeCertificate()
        certificate[.subject] = der(0x30, subject.flatMap { der(0x31, $0) })
        certificate[.serial] = der(0x02, serial)
        certificate[.keyAlgorithm] = der(0x30, Array(key[info.algorithm]))
        certificate[.keyBits] = der(0x03, Array(key[info.key]))
        if let constraints {
            let item = der(0x30, der(0x06, [0x55, 0x1D, 0x13]), der(0x04, der(0x30, constraints)))
            certificate[.afterKey] = der(0xA3, der(0x30, item))
        }
        return certificate.bytes
    }
}
