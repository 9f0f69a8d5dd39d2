import LiveServers
import TestSupport
import Testing
import WireFormat

@Suite(.inTurn) struct PinsAuditCommandTests {
    private static let at = ["--at", "2026-12-01T00:00:00Z"]
    private static let spare = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAI="
    private static let other = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE="

    private func findings(_ run: PinsRun) throws -> [String] {
        try run.objects().compactMap { $0["finding"] as? String }
    }

    @Test func aSoundPolicyIsAYes() throws {
        let files = [
            "policy": PinsRun.policy("**.host.example", pin: PinsRun.leaf, backup: Self.other, expires: "2099-01-01"),
            "chain.pem": try PinsRun.chain(),
        ]
        let run = try PinsRun(["audit", "@policy", "@chain.pem"] + Self.at, files: files)
        #expect(run.status == 0 && run.error.isEmpty)
        #expect(run.output == "critical 0, warning 0, note 3 (--notes shows notes)\n")
        let notes = try PinsRun(["audit", "--json", "@policy", "@chain.pem"] + Self.at, files: files)
        #expect(notes.status == 0)
        #expect(try findings(notes) == ["certificate-expires", "unknown-pin", "entry-expires"])
        #expect(try notes.objects().allSatisfy { $0["severity"] as? String == "note" })
    }

    @Test func policiesPinsAndCertificatesTogether() throws {
        let files = [
            "policy": PinsRun.policy(
                "*.host.example",
                pin: PinsRun.leaf,
                backup: PinsRun.issuer,
                expires: "2026-12-11"
            ),
            "chain.pem": try PinsRun.chain(),
            "pins": "# ours\n\(PinsRun.leaf)\nsha256/\(Self.other) # spare\n",
            "blocked": PinsRun.anchor,
        ]
        let run = try PinsRun(
            [
                "audit", "--json", "@policy", "@chain.pem", "@pins", "--block-list", "@blocked", "--presented",
                "a.host.example=@chain.pem", "--release-days", "91",
            ] + Self.at,
            files: files
        )
        #expect(run.status == 1)
        let objects = try run.objects()
        let warnings = objects.filter { $0["severity"] as? String != "note" }.compactMap { $0["finding"] as? String }
        #expect(
            warnings.sorted() == [
                "apex-gap", "blocked", "certificate-expires", "entry-expires", "presented-backup", "related-backup",
                "short-leaf", "short-leaf",
            ]
        )
        let blocked = try #require(objects.first { $0["finding"] as? String == "blocked" })
        #expect(blocked["severity"] as? String == "critical" && blocked["pin"] as? String == PinsRun.anchor)
        #expect(blocked["file"] as? String == "chain.pem" && blocked["certificate"] as? Int == 3)
        #expect(blocked["subject"] as? String == "CN=Anchor")
        let gap = try #require(objects.first { $0["finding"] as? String == "apex-gap" })
        #expect(gap["pattern"] as? String == "*.host.example" && gap["entry"] as? Int == 0)
        #expect(gap["file"] as? String == "policy" && gap["remedy"] as? String != nil)
    }

    @Test("A presented chain that the policy refuses is an error by name, as 'pins check' says no") func presented()
        throws
    {
        let files = [
            "policy": PinsRun.policy("**.host.example", pin: Self.other, backup: Self.spare),
            "chain.pem": try PinsRun.chain(),
        ]
        let run = try PinsRun(
            ["audit", "--json", "@policy", "--presented", "a.host.example=@chain.pem"] + Self.at,
            files: files
        )
        let found = try #require(try run.objects().first { $0["finding"] as? String == "presented-no-pin" })
        #expect(run.status == 1 && found["severity"] as? String == "critical")
        #expect(found["pattern"] as? String == "**.host.example" && found["file"] as? String == "policy")
        let check = try PinsRun(
            ["check", "--policy", "@policy", "--host", "a.host.example", "@chain.pem"],
            files: files
        )
        #expect(check.status == 1)
    }

    @Test func theWorstComesFirstForPeople() throws {
        let files = [
            "policy": PinsRun.policy("*.host.example", pin: PinsRun.leaf, backup: Self.other),
            "blocked": "sha256/\(PinsRun.leaf)",
        ]
        let run = try PinsRun(["audit", "@policy", "--block-list", "@blocked"] + Self.at, files: files)
        #expect(run.status == 1)
        #expect(
            run.output == """
                CRITICAL  \(PinsRun.leaf)
                          The key is on the block list.
                          Stop using the key, remove its pin, and make a new key with a sound generator.
                WARNING   *.host.example  (policy)
                          Subdomains of host.example are pinned, but host.example itself is not.
                          Write **.host.example, or an entry for host.example.
                critical 1, warning 1, note 0

                """
        )
    }

    @Test func aCompiledPolicyIsAuditedLikeItsSource() throws {
        let policy = PinsRun.policy("*.host.example", pin: PinsRun.leaf, backup: PinsRun.issuer, expires: "2099-01-01")
        let files = ["policy": policy, "chain.pem": try PinsRun.chain()]
        let source = try PinsRun(["audit", "--json", "@policy", "@chain.pem"] + Self.at, files: files)
        let image = try PinsRun(
            ["convert", "--from", "json", "--image", "@image", "@policy"],
            files: files,
            andThen: ["audit", "--json", "@image", "@chain.pem"] + Self.at
        )
        #expect(image.output == source.output.replacing("\"file\":\"policy\"", with: "\"file\":\"image\""))
        #expect(image.status == 1)
    }

    @Test("What a policy cannot express is reported")
    func losses() throws {
        let header = "Public-Key-Pins: pin-sha256=\"\(PinsRun.leaf)\"; pin-sha256=\"\(Self.other)\"; max-age=1"
        let run = try PinsRun(
            ["audit", "--format", "rfc7469", "--host", "a.example", "@header"],
            files: ["header": header + "; report-uri=\"https://a.example/\""]
        )
        #expect(run.error == "lost: header: a.example: the address for reports is not kept\n")
    }

    @Test(
        "Unusable input",
        arguments: [
            ["@no"], ["@short"], ["@broken"], ["@policy", "--block-list", "@policy"], ["@policy", "--at", "soon"],
            ["@policy", "--presented", "no host=@policy"], ["@policy", "--presented", "@policy"],
            ["@policy", "--release-days", "0"], [],
        ]
    )
    func refused(arguments: [String]) throws {
        let files = [
            "policy": PinsRun.policy("host.example", pin: PinsRun.leaf, backup: Self.other), "short": "sha256/AAAA",
            "broken": "-----BEGIN CERTIFICATE-----\n",
        ]
        let run = try PinsRun(["audit"] + arguments, files: files)
        #expect(run.status == 2 && run.output.isEmpty && !run.error.isEmpty)
    }

    @Test("A file that cannot be read is named, the others are audited, and the answer is no")
    func oneFileOfMany() throws {
        let list = "-----BEGIN X509 CRL-----\nAQID\n-----END X509 CRL-----\n"
        let damaged = "-----BEGIN CERTIFICATE-----\nA!\n-----END CERTIFICATE-----\n"
        let files = [
            "chain.pem": try PinsRun.chain(), "list.pem": list, "mixed.pem": damaged + (try PinsRun.chain(["leaf"])),
        ]
        let run = try PinsRun(["audit", "@list.pem", "@no.pem", "@mixed.pem", "@chain.pem"] + Self.at, files: files)
        #expect(run.status == 1 && run.output == "critical 0, warning 0, note 3 (--notes shows notes)\n")
        #expect(
            run.error == """
                sallyport pins audit: list.pem: contains no certificate, but a list of revoked certificates (X509 CRL); give certificates in PEM or DER
                sallyport pins audit: no.pem: the file does not exist; check the path
                sallyport pins audit: mixed.pem: line 2: not base64 (A-Z a-z 0-9 + /, '=' only at the very end)
                sallyport pins audit: not audited: 2 of 4 files, and 1 certificate of the others

                """
        )
        #expect(try PinsRun(["audit", "@chain.pem"] + Self.at, files: files).status == 0)
        let nothing = try PinsRun(["audit", "@list.pem", "@no.pem"] + Self.at, files: files)
        #expect(nothing.status == 2 && nothing.output.isEmpty)
    }

    /// A certificate with an RSA key (RFC 8017 A.1.1) of this modulus, in PEM.
    private static func certificate(modulus: [UInt8]) -> String {
        var certificate = HandmadeCertificate()
        let rsa: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]
        certificate[.keyAlgorithm] = der(0x30, rsa)
        let key = der(0x30, der(0x02, modulus), der(0x02, [1, 0, 1]))
        certificate[.keyBits] = der(0x03, [0], key)
        return "-----BEGIN CERTIFICATE-----\n\(Base64.encode(certificate.bytes.span))\n-----END CERTIFICATE-----\n"
    }

    @Test("A modulus that is a prime, 2 to the power of 2203 less one, is critical")
    func primeModulus() throws {
        let text = Self.certificate(modulus: [7] + [UInt8](repeating: 0xFF, count: 275))
        let run = try PinsRun(["audit", "--json", "@a.pem"] + Self.at, files: ["a.pem": text])
        #expect(run.status == 1)
        let found = try #require(run.objects().first { $0["finding"] as? String == "prime-modulus" })
        #expect(found["severity"] as? String == "critical")
        #expect(
            found["sentence"] as? String
                == "The RSA modulus is a prime number, so the private key follows from the public one."
        )
    }

    @Test("A block list may have hashes of moduli, as Debian's lists of weak keys do")
    func blockedModuli() throws {
        let files = [
            "a.pem": Self.certificate(modulus: [7] + [UInt8](repeating: 0xFF, count: 275)),
            // (printf Modulus=7; printf 'F%.0s' {1..550}; echo) | sha1sum
            "list": "# RSA-2203\n\n00005890bc78bcbee3ca\n4a99d6eb31888421eeed\n", "other": "00005890bc78bcbee3ca\n",
            "mixed": "00005890bc78bcbee3ca\n0\n",
        ]
        func run(_ list: String) throws -> PinsRun {
            try PinsRun(["audit", "--json", "--block-list", list, "@a.pem"] + Self.at, files: files)
        }
        #expect(try findings(run("@list")).contains("blocked"))
        #expect(try !findings(run("@other")).contains("blocked"))
        let mixed = try run("@mixed")
        #expect(mixed.status == 2 && mixed.output.isEmpty)
        #expect(mixed.error.hasPrefix("sallyport pins audit: mixed: not a block list of pins or moduli: line 2: "))
    }
}
