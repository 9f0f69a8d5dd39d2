import LiveServers
import TestSupport
import Testing
import WireFormat

@Suite(.inTurn) struct PinsExtractCommandTests {
    @Test("What OpenSSL says of the certificates")
    func fields() throws {
        let run = try PinsRun(["extract", "--json", "@chain.pem"], files: ["chain.pem": PinsRun.chain()])
        #expect(run.status == 0 && run.error.isEmpty)
        let objects = try run.objects()
        try #require(objects.count == 3)
        #expect(objects.map { $0["subject"] as? String } == ["CN=leaf.example", "CN=Issuer", "CN=Anchor"])
        #expect(objects.map { $0["issuer"] as? String } == ["CN=Issuer", "CN=Anchor", "CN=Anchor"])
        #expect(objects.map { $0["spki_sha256"] as? String } == [PinsRun.leaf, PinsRun.issuer, PinsRun.anchor])
        #expect(objects.map { $0["is_ca"] as? Bool } == [false, true, true])
        #expect(objects[0]["key_type"] as? String == "EC" && objects[0]["key_bits"] as? Int == 256)
        #expect(objects[0]["not_before"] as? String == "2026-11-21T02:52:58Z")
        #expect(objects[0]["not_after"] as? String == "2027-02-19T02:52:58Z")
    }

    @Test func tellsPeopleTheSame() throws {
        let run = try PinsRun(["extract"], input: PinsRun.chain(["issuer"]))
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("sha256/\(PinsRun.issuer)\n  subject  CN=Issuer\n"))
        #expect(run.output.contains("EC 256, of an authority"))
    }

    @Test func whatIsNoCertificateIsNamed() throws {
        let run = try PinsRun(["extract", "@a.pem"], files: ["a.pem": "-----BEGIN CERTIFICATE-----\nMAA=\n"])
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.error.hasPrefix("sallyport pins extract: a.pem: line 1:"))
        let absent = try PinsRun(["extract", "@b.pem"])
        #expect(
            absent.status == 2
                && absent.error == "sallyport pins extract: b.pem: the file does not exist; check the path\n"
        )
        let empty = try PinsRun(["extract"])
        #expect(empty.status == 2 && empty.error.contains("contains no certificate"))
        // The others are printed.
        let one = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
        let mixed = try PinsRun(["extract", "--json"], input: one + PinsRun.chain(["leaf"]))
        #expect(mixed.status == 2 && mixed.error.contains("certificate 1: "))
        #expect(try mixed.objects().count == 1)
    }

    @Test("A certificate with an unreadable name still gives its pin")
    func pinAlone() throws {
        var certificate = HandmadeCertificate()
        // PrintableString (X.680 41.4) has no such letter.
        certificate[.subject] = der(0x30, der(0x31, der(0x30, der(0x06, [0x55, 4, 3]), der(0x13, [0xE9]))))
        let text = "-----BEGIN CERTIFICATE-----\n\(Base64.encode(certificate.bytes.span))\n-----END CERTIFICATE-----\n"
        let files = ["a.pem": text, "policy": PinsRun.policy("a.example", pin: PinsRun.leaf, backup: PinsRun.issuer)]
        let run = try PinsRun(["extract", "@a.pem"], files: files)
        #expect(run.status == 2 && run.error.hasPrefix("sallyport pins extract: a.pem: certificate 1: contents at "))
        let pin = try #require(run.output.split(separator: "\n").first)
        #expect(run.output == "\(pin)\n" && pin.hasPrefix("sha256/"))
        // The same key is what a decision sees.
        let check = try PinsRun(
            ["check", "--json", "--policy", "@policy", "--host", "a.example", "@a.pem"],
            files: files
        )
        let seen = try #require(try check.objects().first?["seen"] as? [[String: Any]])
        #expect(seen.first?["pin"] as? String == String(pin.dropFirst("sha256/".count)))
        let object = try #require(try PinsRun(["extract", "--json", "@a.pem"], files: files).objects().first)
        #expect(object["spki_sha256"] as? String == String(pin.dropFirst("sha256/".count)) && object.count == 1)
    }

    @Test("Blanks at the ends of lines change nothing")
    func trailingBlanks() throws {
        let chain = try PinsRun.chain()
        let padded = chain.replacing("\n", with: " \t\n") + "\n"
        let windows = chain.replacing("\n", with: " \r\n")
        for text in [padded, windows] {
            let run = try PinsRun(["extract"], input: text)
            #expect(run.status == 0 && run.error.isEmpty)
            #expect(run.output == (try PinsRun(["extract"], input: chain).output))
        }
    }

    @Test("A certificate that is too large or has damaged base64 is reported, and the others are read")
    func damagedCertificates() throws {
        let large =
            "-----BEGIN CERTIFICATE-----\n"
            + String(repeating: String(repeating: "A", count: 64) + "\n", count: 1400) + "-----END CERTIFICATE-----\n"
        let damaged = "-----BEGIN CERTIFICATE-----\nA!\n-----END CERTIFICATE-----\n"
        let leaf = try PinsRun.chain(["leaf"])
        let text = leaf + large + damaged + (try PinsRun.chain(["issuer"]))
        let run = try PinsRun(["extract", "--json", "@a.pem"], files: ["a.pem": text])
        #expect(run.status == 2)
        #expect(try run.objects().map { $0["subject"] as? String } == ["CN=leaf.example", "CN=Issuer"])
        let line = leaf.split(separator: "\n", omittingEmptySubsequences: false).count
        #expect(
            run.error == """
                sallyport pins extract: a.pem: line \(line): the certificate that begins here has more than 65536 bytes
                sallyport pins extract: a.pem: line \(line + 1403): not base64 (A-Z a-z 0-9 + /, '=' only at the very end)

                """
        )
    }

    @Test(
        "A PEM text without certificates is called what it is",
        arguments: [
            ("X509 CRL", "a list of revoked certificates (X509 CRL)"), ("PRIVATE KEY", "a private key (PRIVATE KEY)"),
            ("EC PRIVATE KEY", "a private key (EC PRIVATE KEY)"), ("PUBLIC KEY", "a public key (PUBLIC KEY)"),
            ("CERTIFICATE REQUEST", "a request for a certificate (CERTIFICATE REQUEST)"),
            ("SSH2", "a block of another kind (SSH2)"),
        ]
    )
    func otherLabels(label: String, name: String) throws {
        let text = "-----BEGIN \(label)-----\nAQID\n-----END \(label)-----\n"
        for verb in [["extract"], ["check", "--policy", "@policy", "--host", "a.example"], ["audit"]] {
            let run = try PinsRun(
                verb + ["@a.pem"],
                files: [
                    "a.pem": text, "policy": PinsRun.policy("a.example", pin: PinsRun.leaf, backup: PinsRun.issuer),
                ]
            )
            #expect(run.status == 2)
            let words = "a.pem: contains no certificate, but \(name); give certificates in PEM or DER\n"
            #expect(run.error == "sallyport pins \(verb[0]): \(words)")
        }
    }
}
