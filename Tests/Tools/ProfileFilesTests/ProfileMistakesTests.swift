import Foundation
import Sallyport
import TestSupport
import Testing

@testable import ProfileFiles

/// What is said of a profile that cannot be used.
@Suite struct ProfileMistakesTests {
    @Test(
        "Each mistake names line, field and remedy",
        arguments: [
            ("version: 1", "version: 2", 1, "version", "expected 1"),
            ("version: 1", "", nil, nil, "'version' is missing"),
            (
                "schemes: [ntlm, basic]", "schemes: [ntlm, hoba]", 4, "schemes[1]",
                "choose from basic, bearer, digest, negotiate, ntlm"
            ),
            ("schemes: [ntlm, basic]", "schemes: [ntlm, ntlm]", 4, "schemes[1]", "occurs twice"),
            ("schemes: [ntlm, basic]", "schemes: ntlm", 4, "schemes", "expected a list"),
            ("schemes: [ntlm, basic]", "scheme: [ntlm]", 4, "scheme", "unknown field"),
            ("  - \"*.acme.example\"", "  - \"*acme.example\"", 3, "sites[0]", "*.acme.example"),
            ("{ file: secret }", "{ file: missing }", 9, "accounts[0].password", "cannot read the secret"),
            ("{ file: secret }", "plain text", 9, "accounts[0].password", "expected fields"),
            (
                "{ file: secret }", "{ file: secret, environment: X }", 9, "accounts[0].password",
                "do not write the secret itself here"
            ),
            ("{ file: secret }", "{ environment: SALLYPORT_NO_SUCH }", 9, "accounts[0].password", "is not set"),
            ("    user: jdoe\n", "", 6, "accounts[0]", "'user' is missing"),
            ("position: leaf", "position: root", 13, "pins[0].pins[0].position", "leaf, issuer, anchor or any"),
            ("lar8ZDFvf8PHGLbV", "lar8", 13, "pins[0].pins[0].sha256", "23 bytes"),
            ("2036-01-01T00:00:00Z", "soon", 15, "pins[0].expires", "2036-01-01T00:00:00Z"),
            ("    backups:", "    backup:", 14, "pins[0].backup", "unknown field"),
            ("pins:\n", "pinReports: http://reports.example/\npins:\n", 11, "pinReports", "needs https"),
        ] as [(String, String, Int?, String?, String)]
    )
    func mistakes(original: String, changed: String, line: Int?, field: String?, problem: String) throws {
        let yaml = ExampleProfile.minimal.replacing(original, with: changed, maxReplacements: 1)
        let error = try #require(throws: ProfileFileError.self) { try ExampleProfile.read(yaml) }
        if let line { #expect(error.line == line, "\(error)") }
        #expect(error.field == field, "\(error)")
        #expect(error.problem.contains(problem), "\(error)")
        #expect(!error.description.contains("Correct-Horse"))
    }

    @Test(
        "A trusted key without a date, and one for several hosts",
        arguments: [
            ("    until: 2036-01-01T00:00:00Z\n", "", "trustedKeys[0]", "the field 'until' is missing"),
            ("Dev.acme.example", "'*.acme.example'", "trustedKeys[0].host", ""),
            ("lar8", "la", "trustedKeys[0].sha256", ""),
        ]
    )
    func wrongTrustedKeys(original: String, changed: String, field: String, problem: String) throws {
        let yaml = (ExampleProfile.trusted + ExampleProfile.minimal).replacing(
            original,
            with: changed,
            maxReplacements: 1
        )
        let error = try #require(throws: ProfileFileError.self) { try ExampleProfile.read(yaml) }
        #expect(error.field == field && error.problem.hasPrefix(problem), "\(error)")
    }

    @Test(
        "An identity is in one place, of which all is said",
        .row(20),
        arguments: [
            ("", "identities[0]", "no field says where the certificate is: add one of certificate"),
            ("    p12: a.p12\n    store: kept\n", "identities[0]", "an identity has one of certificate, p12, pkcs11"),
            ("    p12: { passphrase: { file: secret } }\n", "identities[0].p12", "the field 'file' is missing"),
            ("    p12: { file: a.p12, passphrase: plain }\n", "identities[0].p12.passphrase", "expected fields"),
            ("    pkcs11: /usr/lib/module.so\n", "identities[0].pkcs11", "expected a URI that begins with pkcs11:"),
            ("    pkcs11: { pin: { file: secret } }\n", "identities[0].pkcs11", "the field 'uri' is missing"),
            ("    command: step ca renew\n", "identities[0].command", "expected a list"),
            ("    command: []\n", "identities[0].command", "expected 1 to 64 words"),
            ("    store: [a]\n", "identities[0].store", "expected a text"),
        ]
    )
    func wrongIdentities(place: String, field: String, problem: String) throws {
        let yaml = "identities:\n  - name: laptop\n    sites: [a.acme.example]\n\(place)\(ExampleProfile.minimal)"
        let error = try #require(throws: ProfileFileError.self) { try ExampleProfile.read(yaml) }
        #expect(error.field == field && error.problem.hasPrefix(problem), "\(error)")
    }

    @Test("Names and rules of identities are checked, also where no certificate is read") func identityRules() throws {
        for (sites, field) in [
            ("[a.acme.example, a.acme.example]", "identities[0]"), ("['*.com*']", "identities[0].sites[0]"),
        ] {
            let yaml = "identities:\n  - { name: laptop, store: kept, sites: \(sites) }\n\(ExampleProfile.minimal)"
            let error = try #require(throws: ProfileFileError.self) { try ExampleProfile.read(yaml) }
            #expect(error.field == field && error.line != nil, "\(error)")
        }
        // Sites that can never match, and a name that messages give the certificate of an option.
        for (name, site, field, problem) in [
            ("laptop", "https://a.acme.example/app", "sites[0]", "a client certificate is for a whole server: remove"),
            (
                "laptop", "http://a.acme.example", "sites[0]",
                "without TLS no server asks for a certificate: write https"
            ),
            ("--cert", "a.acme.example", "name", "the names of options begin with '--'"),
        ] {
            let yaml =
                "identities:\n  - { name: \"\(name)\", store: kept, sites: [\"\(site)\"] }\n\(ExampleProfile.minimal)"
            let error = try #require(throws: ProfileFileError.self) { try ExampleProfile.read(yaml) }
            #expect(error.field == "identities[0].\(field)" && error.problem.hasPrefix(problem), "\(error)")
            #expect(error.line == 2, "\(error)")
        }
        for site in ["https://a.acme.example/", "*://a.acme.example"] {
            _ = try ExampleProfile.read(
                "identities:\n  - { name: laptop, store: kept, sites: [\"\(site)\"] }\n\(ExampleProfile.minimal)"
            )
        }
        let twice = "  - { name: laptop, store: kept, sites: [a.acme.example] }\n"
        let error = try #require(throws: ProfileFileError.self) {
            try ExampleProfile.read("identities:\n\(twice)\(twice)\(ExampleProfile.minimal)")
        }
        #expect(error.field == "identities[1]", "\(error)")
    }

    @Test("Text that is not YAML", arguments: ["version: [1", "a: b: c", "\t- x", "version: 1\nversion: 1", "", "- 1"])
    func notYAML(text: String) {
        #expect(throws: ProfileFileError.self) { try ExampleProfile.read(text) }
    }

    @Test(
        "What only the handler finds names line and field too",
        arguments: [
            ("schemes:", "identities: []\nschemes:", nil),
            (
                "pins:\n", "  - {name: jdoe, user: x, password: {file: secret}, sites: [x.example]}\npins:\n",
                "accounts[1]"
            ),
            (
                "pins:\n", "  - {name: b, user: x, password: {file: secret}, sites: ['*.acme.example']}\npins:\n",
                "accounts[1]"
            ),
            ("OAOs83VDVIaXgiAZaucBZVZOmkrUnBgCYBuwTWNZAT8=", "lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8=", "pins[0]"),
            ("host: login.acme.example", "host: '*.com'", "pins[0]"),
        ] as [(String, String, String?)]
    )
    func senseErrors(original: String, changed: String, field: String?) throws {
        let yaml = ExampleProfile.minimal.replacing(original, with: changed, maxReplacements: 1)
        guard let field else {
            _ = try ExampleProfile.read(yaml)
            return
        }
        let error = try #require(throws: ProfileFileError.self) { try ExampleProfile.read(yaml) }
        #expect(error.field == field && error.line != nil, "\(error)")
    }

    @Test func aPasswordInTheWrongPlaceIsNotRepeated() throws {
        let yaml = ExampleProfile.minimal.replacing("{ file: secret }", with: "{ hunter2: x }")
        let error = try #require(throws: ProfileFileError.self) { try ExampleProfile.read(yaml) }
        #expect(!error.description.contains("hunter2"))
    }

    @Test("Anchors are refused before they can multiply") func nestedAliases() throws {
        var lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
        for level in 1...11 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ",")
            lines.append("a\(level): &a\(level) [\(aliases)]")
        }
        lines += ["? *a11", ": 1", "? *a10", ": 2"]
        let error = try #require(throws: ProfileFileError.self) {
            try ExampleProfile.read(lines.joined(separator: "\n"))
        }
        #expect(error.line == 1 && error.problem.contains("aliases"))
    }

    @Test(
        "Where an anchor can begin",
        arguments: [
            ("&a x", 1), ("k:\n  - &a x", 2), ("{k:&a x}", 1), ("[&a x]", 1), ("R & D", nil), ("AT&T", nil),
            (#"user: "&x""#, nil), ("x &", nil),
        ] as [(String, Int?)]
    )
    func anchors(text: String, line: Int?) {
        #expect(AnchorScan.line(ofFirstAnchorIn: text) == line)
    }

    @Test func aMissingFileSaysWhich() throws {
        let error = try #require(throws: ProfileFileError.self) {
            try ProfileReader.read(URL(filePath: "/nonexistent/profile.yaml"))
        }
        #expect(error.description.hasPrefix("/nonexistent/profile.yaml: cannot be read"))
    }
}
