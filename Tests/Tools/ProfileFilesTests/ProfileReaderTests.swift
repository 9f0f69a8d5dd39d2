import AllowedSites
import Corpora
import Credentials
import Foundation
import HTTPAuthentication
import Hostnames
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

    @Test("Negotiate: a ticket before the password, a ticket in its place, and what a server must prove")
    func negotiate() throws {
        let yaml = Self.minimal.replacing("schemes: [ntlm, basic]", with: "schemes: [negotiate]")
        let plain = try read(yaml)
        #expect(plain.accounts[0].negotiate == NegotiateRules() && plain.kerberos == nil)
        let secret = "password: { file: secret }"
        let both = try read(
            yaml.replacing(secret, with: "\(secret)\n    kerberos: true\n    negotiate-mutual: optional")
        )
        #expect(both.accounts[0].negotiate == NegotiateRules(usesKerberos: true, demandsServerProof: false))
        #expect(both.accounts[0].account.credential.password != nil && both.kerberos != nil)
        let alone = try read(yaml.replacing(secret, with: "kerberos: true"))
        guard case .ticket = alone.accounts[0].account.credential else {
            Issue.record("without a password the account has a ticket")
            return
        }
        #expect(alone.accounts[0].negotiate.usesKerberos && alone.accounts[0].negotiate.demandsServerProof)
        #expect(throws: (any Error).self) { try read(yaml.replacing(secret, with: "kerberos: false")) }
        #expect(throws: (any Error).self) { try read(yaml.replacing(secret, with: "kerberos: password")) }
        #expect(throws: (any Error).self) {
            try read(yaml.replacing(secret, with: "\(secret)\n    kerberos: password"))
        }
        #expect(throws: (any Error).self) { try read(yaml.replacing(secret, with: "\(secret)\n    delegate: true")) }
        let strict = try read(yaml.replacing(secret, with: "\(secret)\n    kerberos: true\n    negotiate-ntlm: false"))
        #expect(strict.accounts[0].negotiate == NegotiateRules(usesKerberos: true, allowsNTLM: false))
        #expect(throws: (any Error).self) {
            try read(yaml.replacing(secret, with: "\(secret)\n    negotiate-ntlm: false"))
        }
        let realm = yaml.replacing("domain: ACME", with: "domain: acme.example")
        let asked = try read(realm.replacing(secret, with: "\(secret)\n    kerberos: password\n    delegate: true"))
        #expect(asked.accounts[0].negotiate == NegotiateRules(usesKerberos: true, tickets: .password, delegates: true))
        let keytab = try read(realm.replacing(secret, with: "kerberos: { keytab: /etc/jdoe.keytab }"))
        #expect(keytab.accounts[0].negotiate.tickets == .keytab("/etc/jdoe.keytab"))
        #expect(keytab.accounts[0].account.credential.isTicket && keytab.kerberos != nil)
        #expect(throws: (any Error).self) {
            try read(yaml.replacing(secret, with: "\(secret)\n    negotiate-mutual: never"))
        }
    }

    @Test func everyFieldArrives() throws {
        let profile = try read(Self.minimal)
        #expect(profile.schemes == [.ntlm, .basic])
        let account = try #require(profile.accounts.first)
        #expect(account.account.user == "jdoe" && account.account.domain == "ACME")
        #expect(account.account.credential.password?.count == 13)
        #expect(account.sites == ["*.acme.example"])
        let pins = try #require(profile.pins.first)
        #expect(pins.host == "login.acme.example")
        #expect(pins.pins.first?.position == .leaf)
        #expect(pins.expiry == 2_082_758_400)
        #expect(pins.mode == .enforce)
    }

    @Test(
        "An empty domain says that the account has none; without the line the domain may be forgotten",
        arguments: [
            ("domain: ''", "jdoe", ""), (#"domain: """#, "jdoe", ""), ("form: bare", "jdoe", nil),
        ]
    ) func emptyDomain(line: String, user: String, domain: String?) throws {
        let yaml = Self.minimal.replacing("domain: ACME", with: line)
        let account = try #require(
            try read(line == "form: bare" ? yaml.replacing("form: bare", with: "") : yaml).accounts.first
        )
        #expect(account.account.user == user && account.account.domain == domain)
        let spelled = Self.minimal.replacing("user: jdoe", with: #"user: \jdoe"#).replacing("domain: ACME", with: "")
        #expect(try read(spelled).accounts.first?.account.domain == "")
    }

    @Test("The form of a user name is one of three, and needs a domain") func userForm() throws {
        let form = try read(Self.minimal.replacing("domain: ACME", with: "domain: ACME\n    form: at"))
        #expect(form.accounts.first?.account.qualifiedUser == "jdoe@ACME")
        #expect(try read(Self.minimal).accounts.first?.account.userForm == .bare)
        for (yaml, problem) in [
            ("domain: ACME\n    form: upn", "expected bare, backslash, at"),
            ("form: at", "has no effect without a domain: add 'domain' or remove it"),
        ] {
            let error = try #require(throws: ProfileFileError.self) {
                try read(Self.minimal.replacing("domain: ACME", with: yaml))
            }
            #expect(error.field == "accounts[0].form" && error.problem == problem)
        }
    }

    /// Reads a profile beside `files`, each with its mode.
    private func compile(
        _ yaml: String,
        _ files: [(name: String, contents: [UInt8], mode: Int)]
    ) throws -> (compiled: CompiledProfile, warnings: [ProfileFileError]) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "profile-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for file in files {
            let path = folder.appending(path: file.name)
            try Data(file.contents).write(to: path)
            try FileManager.default.setAttributes([.posixPermissions: file.mode], ofItemAtPath: path.path)
        }
        let file = folder.appending(path: "profile.yaml")
        try Data(yaml.utf8).write(to: file)
        var warnings: [ProfileFileError] = []
        let compiled = try ProfileReader.compile(file, at: 0) { warnings.append($0) }
        return (compiled, warnings)
    }

    @Test(
        "A secret that other users may read is a warning, and an error with strict",
        arguments: [0o640, 0o604, 0o644]
    )
    func sharedSecrets(mode: Int) throws {
        let secret = [UInt8]("Correct-Horse".utf8)
        let (_, none) = try compile(Self.minimal, [("secret", secret, 0o600)])
        #expect(none.isEmpty)
        let (_, warnings) = try compile(Self.minimal, [("secret", secret, mode)])
        #expect(warnings.map(\.line) == [9] && warnings[0].problem.contains("chmod 600"))
        let strict = Self.minimal.replacing("version: 1", with: "version: 1\nstrict: true")
        _ = try compile(strict, [("secret", secret, 0o600)])
        let error = try #require(throws: ProfileFileError.self) { try compile(strict, [("secret", secret, mode)]) }
        #expect(error.line == 10 && error.field == "accounts[0].password")
        #expect(error.problem.contains("chmod 600") && !"\(error)".contains("Horse"))
    }

    @Test("An NT hash takes the place of a password, for NTLM") func ntHash() throws {
        let yaml = Self.minimal.replacing("password:", with: "nt-hash:")
        let hash = [UInt8]("0123456789abcdef0123456789ABCDEF\n".utf8)
        let (compiled, _) = try compile(yaml, [("secret", hash, 0o600)])
        #expect("\(compiled.profile.accounts[0].account.credential)" == "<NT hash>")
        for wrong in ["0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdefa", "Correct-Horse"] {
            let error = try #require(throws: ProfileFileError.self) {
                try compile(yaml, [("secret", [UInt8](wrong.utf8), 0o600)])
            }
            #expect(error.field == "accounts[0].nt-hash" && error.problem.contains("32 hexadecimal digits"))
        }
        let both = Self.minimal.replacing("    password:", with: "    nt-hash: { file: secret }\n    password:")
        let error = try #require(throws: ProfileFileError.self) { try compile(both, [("secret", hash, 0o600)]) }
        #expect(error.field == "accounts[0].nt-hash")
    }

    @Test("A token takes the place of user and password, for Bearer") func token() throws {
        let yaml = Self.minimal.replacing("password:", with: "token:").replacing("basic]", with: "basic, bearer]")
            .replacing("    user: jdoe\n", with: "").replacing("    domain: ACME\n", with: "")
            .replacing("    sites:", with: "    in-advance: true\n    sites:")
        let (compiled, _) = try compile(yaml, [("secret", [UInt8]("t0k.en-_~+/=\n".utf8), 0o600)])
        #expect("\(compiled.profile.accounts[0].account.credential)" == "<token>")
        #expect(compiled.profile.accounts[0].sendsTokenFirst)
        for wrong in ["", "two words", "zażółć"] {
            let error = try #require(throws: ProfileFileError.self) {
                try compile(yaml, [("secret", [UInt8](wrong.utf8), 0o600)])
            }
            #expect(error.field == "accounts[0].token" && !error.problem.contains("words"))
        }
        let both = yaml.replacing("    token:", with: "    token: { file: secret }\n    password:")
        let error = try #require(throws: ProfileFileError.self) {
            try compile(both, [("secret", [UInt8]("t".utf8), 0o600)])
        }
        #expect(error.field == "accounts[0].token" && error.problem.contains("remove the others"))
    }

    @Test("Sites and pins may be images") func images() throws {
        let trie = try SiteTrie(compiling: SiteList(parsing: "*.acme.example", name: "test"))
        let policy = try PinPolicy(compiling: try read(Self.minimal).pins, version: 1, at: 0)
        let folder = FileManager.default.temporaryDirectory.appending(path: "image-\(UUID())").path
        try trie.writeImage(to: folder)
        let image = try [UInt8](Data(contentsOf: URL(filePath: folder)))
        try FileManager.default.removeItem(atPath: folder)
        let yaml = """
            version: 1
            sites: { image: sites.trie }
            schemes: [basic]
            accounts:
              - { name: jdoe, user: jdoe, password: { file: secret }, sites: ["*.acme.example"] }
            pins: { image: pins.image }
            """
        let files = [
            (name: "secret", contents: [UInt8]("x".utf8), mode: 0o600),
            (name: "sites.trie", contents: image, mode: 0o644),
            (name: "pins.image", contents: policy.image, mode: 0o644),
        ]
        let handler = ChallengeHandler(try compile(yaml, files).compiled)
        let allowed = ProtectionSpace(
            origin: try Origin(parsing: "https://wiki.acme.example"),
            kind: .http(schemes: [.basic], party: .origin)
        )
        #expect(handler.canHandle(allowed) == .yes)
        let pinned = try Hostname(parsing: "login.acme.example")
        let chain = try ValidatedChain(assertingValidated: [[UInt8](repeating: 0, count: 4)])
        guard case .rejected = handler.evaluate(ServerTrust(host: pinned, chain: chain), now: 0) else {
            Issue.record("the pins of the image are not used")
            return
        }
        for (name, field) in [("sites.trie", "sites.image"), ("pins.image", "pins.image")] {
            let damaged = files.map { $0.name == name ? (name: name, contents: [UInt8](yaml.utf8), mode: 0o644) : $0 }
            let error = try #require(throws: ProfileFileError.self) { try compile(yaml, damaged) }
            #expect(error.field == field && error.line != nil, "\(error)")
        }
    }

    @Test("An expired entry of pins rejects its own hosts and is reported") func expiredPins() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "profile-\(UUID()).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        let yaml = """
            version: 1
            sites: ["*.acme.example"]
            schemes: [basic]
            pins:
              - host: old.acme.example
                pins: [{ sha256: "lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8=" }]
                withoutBackup: "a test"
                expires: 2020-01-01T00:00:00Z
            """
        try Data(yaml.utf8).write(to: file)
        var warnings: [ProfileFileError] = []
        let compiled = try ProfileReader.compile(file, at: 1_790_000_000) { warnings.append($0) }
        #expect(warnings.map(\.line) == [5] && warnings[0].problem.contains("expired"))
        #expect(compiled.expiredPins.map(\.entry) == [0] && compiled.expiredPins[0].pattern == "old.acme.example")
        let handler = ChallengeHandler(compiled)
        func evaluate(_ host: String) throws -> TrustDecision {
            let chain = try ValidatedChain(assertingValidated: [[UInt8](repeating: 0, count: 4)])
            return handler.evaluate(ServerTrust(host: try Hostname(parsing: host), chain: chain), now: 1_790_000_000)
        }
        guard case .rejected(.pinsExpired) = try evaluate("old.acme.example"),
            case .validatedOnly = try evaluate("new.acme.example")
        else {
            Issue.record("an expired entry concerns its own hosts")
            return
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

    private static let trusted = """
        trustedKeys:
          - host: Dev.acme.example
            sha256: "lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8="
            until: 2036-01-01T00:00:00Z

        """

    @Test("Keys that are trusted without an authority") func trustedKeys() throws {
        let key = try #require(try read(Self.trusted + Self.minimal).trustedKeys.first)
        #expect("\(key.host)" == "dev.acme.example" && key.until == 2_082_758_400)
        #expect("\(key.pin)" == "sha256/lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8=")
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
        let yaml = (Self.trusted + Self.minimal).replacing(original, with: changed, maxReplacements: 1)
        let error = try #require(throws: ProfileFileError.self) { try read(yaml) }
        #expect(error.field == field && error.problem.hasPrefix(problem), "\(error)")
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
