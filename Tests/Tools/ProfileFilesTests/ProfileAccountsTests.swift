import Credentials
import HTTPAuthentication
import Sallyport
import Testing

@testable import ProfileFiles

/// The accounts of a profile: names, secrets, tickets, tokens.
@Suite struct ProfileAccountsTests {
    @Test("Negotiate: a ticket before the password, a ticket in its place, and what a server must prove")
    func negotiate() throws {
        let yaml = ExampleProfile.minimal.replacing("schemes: [ntlm, basic]", with: "schemes: [negotiate]")
        let plain = try ExampleProfile.read(yaml)
        #expect(plain.accounts[0].negotiate == NegotiateRules() && plain.kerberos == nil)
        let secret = "password: { file: secret }"
        let both = try ExampleProfile.read(
            yaml.replacing(secret, with: "\(secret)\n    kerberos: true\n    negotiate-mutual: optional")
        )
        #expect(both.accounts[0].negotiate == NegotiateRules(usesKerberos: true, demandsServerProof: false))
        #expect(both.accounts[0].account.credential.password != nil && both.kerberos != nil)
        let alone = try ExampleProfile.read(yaml.replacing(secret, with: "kerberos: true"))
        guard case .ticket = alone.accounts[0].account.credential else {
            Issue.record("without a password the account has a ticket")
            return
        }
        #expect(alone.accounts[0].negotiate.usesKerberos && alone.accounts[0].negotiate.demandsServerProof)
        let strict = try ExampleProfile.read(
            yaml.replacing(secret, with: "\(secret)\n    kerberos: true\n    negotiate-ntlm: false")
        )
        #expect(strict.accounts[0].negotiate == NegotiateRules(usesKerberos: true, allowsNTLM: false))
        let realm = yaml.replacing("domain: ACME", with: "domain: acme.example")
        let asked = try ExampleProfile.read(
            realm.replacing(secret, with: "\(secret)\n    kerberos: password\n    delegate: true")
        )
        #expect(asked.accounts[0].negotiate == NegotiateRules(usesKerberos: true, tickets: .password, delegates: true))
        let keytab = try ExampleProfile.read(realm.replacing(secret, with: "kerberos: { keytab: /etc/jdoe.keytab }"))
        #expect(keytab.accounts[0].negotiate.tickets == .keytab("/etc/jdoe.keytab"))
        #expect(keytab.accounts[0].account.credential.isTicket && keytab.kerberos != nil)
    }

    @Test(
        "Negotiate: what cannot be is an error of its field",
        arguments: [
            ("kerberos: false", "", "'password' is missing"), ("kerberos: password", "", "'password' is missing"),
            ("password: { file: secret }\n    kerberos: password", ".kerberos", "NetBIOS name"),
            ("password: { file: secret }\n    kerberos: maybe", ".kerberos", "true or false"),
            ("password: { file: secret }\n    delegate: true", ".delegate", "only a ticket"),
            ("password: { file: secret }\n    negotiate-ntlm: false", ".negotiate-ntlm", "needs Kerberos"),
            ("password: { file: secret }\n    negotiate-mutual: never", ".negotiate-mutual", "required or optional"),
        ]
    )
    func badNegotiate(lines: String, field: String, problem: String) throws {
        let yaml = ExampleProfile.minimal.replacing("schemes: [ntlm, basic]", with: "schemes: [negotiate]")
        let error = try #require(throws: ProfileFileError.self) {
            try ExampleProfile.read(yaml.replacing("password: { file: secret }", with: lines))
        }
        #expect(error.field == "accounts[0]\(field)" && error.problem.contains(problem), "\(error)")
    }

    @Test(
        "An empty domain says that the account has none; without the line the domain may be forgotten",
        arguments: [
            ("domain: ''", "jdoe", ""), (#"domain: """#, "jdoe", ""), ("form: bare", "jdoe", nil),
        ]
    ) func emptyDomain(line: String, user: String, domain: String?) throws {
        let yaml = ExampleProfile.minimal.replacing("domain: ACME", with: line)
        let account = try #require(
            try ExampleProfile.read(line == "form: bare" ? yaml.replacing("form: bare", with: "") : yaml).accounts.first
        )
        #expect(account.account.user == user && account.account.domain == domain)
        let spelled = ExampleProfile.minimal.replacing("user: jdoe", with: #"user: \jdoe"#).replacing(
            "domain: ACME",
            with: ""
        )
        #expect(try ExampleProfile.read(spelled).accounts.first?.account.domain == "")
    }

    @Test(
        "A domain without a value is no empty domain (YAML 1.2.2, 10.2.1.1)",
        arguments: ["domain:", "domain: ~", "domain: null"]
    )
    func nullDomain(line: String) throws {
        let error = try #require(throws: ProfileFileError.self) {
            try ExampleProfile.read(ExampleProfile.minimal.replacing("domain: ACME", with: line))
        }
        #expect(error.field == "accounts[0].domain" && error.problem == "expected a text; '' says that there is none")
    }

    @Test("The form of a user name is one of three, and needs a domain") func userForm() throws {
        let form = try ExampleProfile.read(
            ExampleProfile.minimal.replacing("domain: ACME", with: "domain: ACME\n    form: at")
        )
        #expect(form.accounts.first?.account.qualifiedUser == "jdoe@ACME")
        #expect(try ExampleProfile.read(ExampleProfile.minimal).accounts.first?.account.userForm == .bare)
        for (yaml, problem) in [
            ("domain: ACME\n    form: upn", "expected bare, backslash, at"),
            ("form: at", "has no effect without a domain: add 'domain' or remove it"),
        ] {
            let error = try #require(throws: ProfileFileError.self) {
                try ExampleProfile.read(ExampleProfile.minimal.replacing("domain: ACME", with: yaml))
            }
            #expect(error.field == "accounts[0].form" && error.problem == problem)
        }
    }

    @Test(
        "A secret that other users may read is a warning, and an error with strict",
        arguments: [0o640, 0o604, 0o644]
    )
    func sharedSecrets(mode: Int) throws {
        let secret = [UInt8]("Correct-Horse".utf8)
        let (_, none) = try ExampleProfile.compile(ExampleProfile.minimal, [("secret", secret, 0o600)])
        #expect(none.isEmpty)
        let (_, warnings) = try ExampleProfile.compile(ExampleProfile.minimal, [("secret", secret, mode)])
        #expect(warnings.map(\.line) == [9] && warnings[0].problem.contains("chmod 600"))
        let strict = ExampleProfile.minimal.replacing("version: 1", with: "version: 1\nstrict: true")
        _ = try ExampleProfile.compile(strict, [("secret", secret, 0o600)])
        let error = try #require(throws: ProfileFileError.self) {
            try ExampleProfile.compile(strict, [("secret", secret, mode)])
        }
        #expect(error.line == 10 && error.field == "accounts[0].password")
        #expect(error.problem.contains("chmod 600") && !"\(error)".contains("Horse"))
    }

    @Test("An NT hash takes the place of a password, for NTLM") func ntHash() throws {
        let yaml = ExampleProfile.minimal.replacing("password:", with: "nt-hash:")
        let hash = [UInt8]("0123456789abcdef0123456789ABCDEF\n".utf8)
        let (compiled, _) = try ExampleProfile.compile(yaml, [("secret", hash, 0o600)])
        #expect("\(compiled.profile.accounts[0].account.credential)" == "<NT hash>")
        for wrong in ["0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdefa", "Correct-Horse"] {
            let error = try #require(throws: ProfileFileError.self) {
                try ExampleProfile.compile(yaml, [("secret", [UInt8](wrong.utf8), 0o600)])
            }
            #expect(error.field == "accounts[0].nt-hash" && error.problem.contains("32 hexadecimal digits"))
        }
        let both = ExampleProfile.minimal.replacing(
            "    password:",
            with: "    nt-hash: { file: secret }\n    password:"
        )
        let error = try #require(throws: ProfileFileError.self) {
            try ExampleProfile.compile(both, [("secret", hash, 0o600)])
        }
        #expect(error.field == "accounts[0].nt-hash")
    }

    @Test("A token takes the place of user and password, for Bearer") func token() throws {
        let yaml = ExampleProfile.minimal.replacing("password:", with: "token:").replacing(
            "basic]",
            with: "basic, bearer]"
        )
        .replacing("    user: jdoe\n", with: "").replacing("    domain: ACME\n", with: "")
        .replacing("    sites:", with: "    in-advance: true\n    sites:")
        let (compiled, _) = try ExampleProfile.compile(yaml, [("secret", [UInt8]("t0k.en-_~+/=\n".utf8), 0o600)])
        #expect("\(compiled.profile.accounts[0].account.credential)" == "<token>")
        #expect(compiled.profile.accounts[0].sendsTokenFirst)
        for wrong in ["", "two words", "zażółć"] {
            let error = try #require(throws: ProfileFileError.self) {
                try ExampleProfile.compile(yaml, [("secret", [UInt8](wrong.utf8), 0o600)])
            }
            #expect(error.field == "accounts[0].token" && !error.problem.contains("words"))
        }
        let both = yaml.replacing("    token:", with: "    token: { file: secret }\n    password:")
        let error = try #require(throws: ProfileFileError.self) {
            try ExampleProfile.compile(both, [("secret", [UInt8]("t".utf8), 0o600)])
        }
        #expect(error.field == "accounts[0].token" && error.problem.contains("remove the others"))
    }
}
