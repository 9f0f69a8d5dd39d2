import Corpora
import Credentials
import Foundation
import HTTPAuthentication
import SPKIPins
import Sallyport
import Secrets
import Testing

@testable import ProfileFiles

@Suite struct ProfileReaderTests {
    static let minimal = """
        version: 1
        sites:
          - "*.acme.example"
        schemes: [ntlm, basic]
        accounts:
          - name: jdoe
            user: jdoe
            domain: ACME
            password: { file: secret }
            sites: ["*.acme.example"]
        pins:
          - host: login.acme.example
            pins: [{ sha256: "lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8=", position: leaf }]
            backups: [{ sha256: "OAOs83VDVIaXgiAZaucBZVZOmkrUnBgCYBuwTWNZAT8=" }]
            expires: 2036-01-01T00:00:00Z
        """

    private func read(_ yaml: String) throws -> SecurityProfile {
        let folder = FileManager.default.temporaryDirectory.appending(path: "profile-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("Correct-Horse\n".utf8).write(to: folder.appending(path: "secret"))
        let file = folder.appending(path: "profile.yaml")
        try Data(yaml.utf8).write(to: file)
        return try ProfileReader.read(file)
    }

    @Test func everyFieldArrives() throws {
        let profile = try read(Self.minimal)
        #expect(profile.schemes == [.ntlm, .basic])
        let account = try #require(profile.accounts.first)
        #expect(account.value.user == "jdoe" && account.value.domain == "ACME")
        #expect(account.value.password.count == 13)
        #expect(account.sites == ["*.acme.example"])
        let pins = try #require(profile.pins.first)
        #expect(pins.host == "login.acme.example")
        #expect(pins.pins.first?.position == .leaf)
        #expect(pins.expiry == 2_082_758_400)
        #expect(pins.mode == .enforce)
    }

    @Test("The form of a user name is one of three, and needs a domain") func userForm() throws {
        let form = try read(Self.minimal.replacing("domain: ACME", with: "domain: ACME\n    form: at"))
        #expect(form.accounts.first?.value.qualifiedUser == "jdoe@ACME")
        #expect(try read(Self.minimal).accounts.first?.value.userForm == .bare)
        for (yaml, problem) in [
            ("domain: ACME\n    form: upn", "expected bare, backslash, at"),
            ("form: at", "has no effect without 'domain': add one or remove it"),
        ] {
            let error = try #require(throws: ProfileFileError.self) {
                try read(Self.minimal.replacing("domain: ACME", with: yaml))
            }
            #expect(error.field == "accounts[0].form" && error.problem == problem)
        }
    }

    @Test func theShippedProfileIsReadAndCompiles() throws {
        let profile = try ProfileReader.read(ShippedRecording.corporateDay.load().profile)
        _ = try ChallengeHandler(profile: profile, at: 1_790_000_000)
        #expect(!profile.accounts.isEmpty && !profile.identities.isEmpty && !profile.pins.isEmpty)
    }

    @Test(
        "Each mistake names line, field and remedy",
        arguments: [
            ("version: 1", "version: 2", 1, "version", "expected 1"),
            ("version: 1", "", nil, nil, "'version' is missing"),
            (
                "schemes: [ntlm, basic]", "schemes: [ntlm, negotiate]", 4, "schemes[1]",
                "choose from basic, digest, ntlm"
            ),
            ("schemes: [ntlm, basic]", "schemes: [ntlm, ntlm]", 4, "schemes[1]", "occurs twice"),
            ("schemes: [ntlm, basic]", "schemes: ntlm", 4, "schemes", "expected a list"),
            ("schemes: [ntlm, basic]", "scheme: [ntlm]", 4, "scheme", "unknown field"),
            ("  - \"*.acme.example\"", "  - \"*acme.example\"", 3, "sites[0]", "*.acme.example"),
            ("{ file: secret }", "{ file: missing }", 9, "accounts[0].password", "cannot read the secret"),
            ("{ file: secret }", "Correct-Horse", 9, "accounts[0].password", "expected fields"),
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
        ] as [(String, String, Int?, String?, String)]
    )
    func mistakes(original: String, changed: String, line: Int?, field: String?, problem: String) throws {
        let yaml = Self.minimal.replacing(original, with: changed, maxReplacements: 1)
        let error = try #require(throws: ProfileFileError.self) { try read(yaml) }
        if let line { #expect(error.line == line, "\(error)") }
        #expect(error.field == field, "\(error)")
        #expect(error.problem.contains(problem), "\(error)")
        #expect(!error.description.contains("Correct-Horse"))
    }

    @Test("Text that is not YAML", arguments: ["version: [1", "a: b: c", "\t- x", "version: 1\nversion: 1", "", "- 1"])
    func notYAML(text: String) {
        #expect(throws: ProfileFileError.self) { try read(text) }
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
        let yaml = Self.minimal.replacing(original, with: changed, maxReplacements: 1)
        guard let field else {
            _ = try read(yaml)
            return
        }
        let error = try #require(throws: ProfileFileError.self) { try read(yaml) }
        #expect(error.field == field && error.line != nil, "\(error)")
    }

    @Test func aPasswordInTheWrongPlaceIsNotRepeated() throws {
        let yaml = Self.minimal.replacing("{ file: secret }", with: "{ hunter2: x }")
        let error = try #require(throws: ProfileFileError.self) { try read(yaml) }
        #expect(!error.description.contains("hunter2"))
    }

    @Test("Anchors are refused before they can multiply") func nestedAliases() throws {
        var lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
        for level in 1...11 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ",")
            lines.append("a\(level): &a\(level) [\(aliases)]")
        }
        lines += ["? *a11", ": 1", "? *a10", ": 2"]
        let error = try #require(throws: ProfileFileError.self) { try read(lines.joined(separator: "\n")) }
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
