import PinFormats
import SPKIPins
import Testing

@Suite struct ChromiumTests {
    private func entry(_ host: String, _ numbers: [UInt8], forbidden: [UInt8] = []) -> PinPolicy.Entry {
        PinPolicy.Entry(
            host: host,
            pins: numbers.map { PositionedPin(numbered($0)) },
            backup: .amongPins,
            expiry: nil,
            forbidden: forbidden.map { numbered($0) }
        )
    }

    /// The second file, as the comment in the first one tells to make it.
    private func secondFile(in text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let comment = lines.prefix { $0.hasPrefix("//") }.drop { $0 != "// ----" }.dropFirst()
        return comment.map { $0.dropFirst($0.hasPrefix("// ") ? 3 : 2) + "\n" }.joined()
    }

    @Test("Written text follows the rules of Chromium's generator and can be read again")
    func rules() throws {
        let entries = [
            entry("**.a.example", [1, 2], forbidden: [3]), entry("b.example", [1, 2], forbidden: [3]),
            entry("**.b.a.example", [2, 4]), entry("a_b-1.example", [1, 2]),
        ]
        let addresses = [entry("192.0.2.1", [1, 2]), entry("[2001:db8::1]", [5, 6])]
        let written = PinFormat.chromium.write(entries + addresses, now: 1000)
        let rules = GeneratorRules(list: written.text, pins: secondFile(in: written.text))
        #expect(rules.problems.isEmpty)
        #expect(Set(rules.keys.values) == Set([1, 2, 3, 4].map { (number: UInt8) in "\(numbered(number))" }))
        // Two of the four entries have the same keys.
        #expect(written.text.matches(of: /"static_spki_hashes"/).count == 3)
        #expect(secondFile(in: written.text).hasPrefix("PinsListTimestamp\n1000\n"))
        #expect(written.losses.map(\.subject) == [.address, .address])
        #expect(try PinFormat.chromium.read(Array(written.text.utf8)).entries == entries)
        #expect(GeneratorRules(list: written.text.replacing("Pin_", with: "pin_"), pins: "").problems.count > 1)
    }

    private static let list = """
        {"pinsets": [{"name": "ours", "static_spki_hashes": ["FormatTest", "Backup_1", "sha256/\(one)"],
                      "bad_static_spki_hashes": ["Third"]}],
         "entries": [{"name": "a.example", "pins": "ours", "include_subdomains": true}]}
        """

    /// Made with OpenSSL; its key is the public key below.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBgjCCASegAwIBAgIUV1FWqDn5+fsbfYt1p84rmiIC+IIwCgYIKoZIzj0EAwIw
        FjEUMBIGA1UEAwwLRm9ybWF0IFRlc3QwHhcNMjYxMTIyMDcyNzM5WhcNMzYxMTE5
        MDcyNzM5WjAWMRQwEgYDVQQDDAtGb3JtYXQgVGVzdDBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABH1N7kTKp3Adgf8ehW+mYs0vNAIacwSAeR0fVOQgLIEfgCYVmczp
        riF+RvKlrDSJXzRK8mH87yMIVPGwagVmesqjUzBRMB0GA1UdDgQWBBSP/GSLNxbU
        Ji8f/nRczptHfCgWeDAfBgNVHSMEGDAWgBSP/GSLNxbUJi8f/nRczptHfCgWeDAP
        BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDvjbuceRATIErHMPqd
        qcoNVbnG6CkIzQugGZHYe8y7RAIhAOMuHvCzRdtlLy+J/ASWkjZWUtKFUi4gBHGj
        6nGb9j2S
        -----END CERTIFICATE-----
        """
    private static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEfU3uRMqncB2B/x6Fb6ZizS80Ahpz
        BIB5HR9U5CAsgR+AJhWZzOmuIX5G8qWsNIlfNEryYfzvIwhU8bBqBWZ6yg==
        -----END PUBLIC KEY-----
        """
    /// `openssl pkey -pubin -outform der | openssl dgst -sha256`.
    private static let pin = "sha256/KW5fHlCRCl5MFfQA2/TzE7TvUthynmOFQutkt4x4IF8="

    private func read(_ file: String, _ list: String = Self.list) throws -> PinDocument {
        let comment = file.split(separator: "\n", omittingEmptySubsequences: false).map { "// \($0)\n" }.joined()
        return try PinFormat.chromium.read(Array((comment + list).utf8))
    }

    @Test("Names are looked up in the second file, which is in comments", arguments: [certificate, publicKey])
    func names(key: String) throws {
        let file = """
            # A comment in the second file
            Some words of the first file; FormatTest is none of them.
            PinsListTimestamp
            1723121786

            TestSPKI
            sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
            FormatTest
            \(key)

            Backup_1
            # between a name and its key
            sha256/\(two)
            Third
            sha256/\(numbered(3).description.dropFirst(7))
            """
        let document = try read(file)
        #expect(document.entries.map(\.host) == ["**.a.example"])
        let pins = [Self.pin, "sha256/\(two)", "sha256/\(one)"]
        #expect(document.entries.first?.pins.map { "\($0.pin)" } == pins)
        #expect(document.entries.first?.forbidden == [numbered(3)])
    }

    @Test("An undefined name and a malformed definition are errors with a remedy")
    func undefined() {
        func problem(_ file: String, _ list: String = Self.list) -> (place: String, problem: String)? {
            let error = #expect(throws: PinFormatError.self, "\(file)") { try read(file, list) }
            guard case .malformed(let place, let problem) = error else { return nil }
            return (place, problem)
        }
        let words = """
            'FormatTest' is not defined in a comment: put the lines of \
            transport_security_state_static.pins at the top, each after '//'
            """
        let none = problem("")
        #expect(none?.place == "entries[0]" && none?.problem == words)
        let cutShort = "FormatTest\n\(Self.publicKey.dropLast(24))"
        for file in ["FormatTest\n\nsha256/\(two)", "formatTest\nsha256/\(two)", cutShort] {
            #expect(problem(file)?.problem == words, "\(file)")
        }
        let twice = problem("FormatTest\nsha256/\(one)\nFormatTest\nsha256/\(two)")
        #expect(twice?.place == "line 4" && twice?.problem == "the name 'FormatTest' is defined twice; keep one")
        let damaged = problem("FormatTest\n" + Self.certificate.replacing("MIIB", with: "MIIC"))
        #expect(damaged?.place == "line 2" && damaged?.problem == "expected a certificate or a public key in PEM")
        let other = problem("", Self.list.replacing("FormatTest", with: "format test"))
        #expect(other?.problem == "expected a pin (sha256/ and base64) or the name of one")
        #expect(throws: PinFormatError.invalidPin(place: "line 2", reason: .wrongLength(bytes: 3))) {
            try read("FormatTest\nsha256/AAAB")
        }
    }

    @Test("An entry without pins exempts its hosts from a wider one, which is a loss")
    func exemptions() throws {
        let entries = """
            {"name": "login.a.example", "mode": "force-https", "include_subdomains": true},
            {"name": "other.example", "mode": "force-https"}, {"name": "a.example"
            """
        let text = Self.list.replacing("{\"name\": \"a.example\"", with: entries)
            .replacing("\"FormatTest\", \"Backup_1\", ", with: "").replacing("\"Third\"", with: "")
        let document = try read("", text)
        #expect(document.entries.map(\.host) == ["**.a.example"])
        #expect(document.losses.map(\.subject) == [.exclusion, .widening])
        #expect(document.losses.map(\.pattern) == ["**.login.a.example", "**.a.example"])
    }
}
