import Credentials
import Secrets
import TestSupport
import Testing

@Suite struct AccountTests {
    let account = Account(
        name: "main",
        user: "jdoe",
        domain: "ACME",
        password: SharedSecret(SecretBytes(copying: [UInt8]("Correct-Horse".utf8).span))
    )

    @Test(.row(28, 32)) func thePasswordIsNeverPrinted() {
        var dumped = ""
        dump(account, to: &dumped)
        for text in ["\(account)", String(reflecting: account), dumped] {
            #expect(!text.contains("Horse"))
        }
        #expect("\(account)" == "account 'main'")
    }

    @Test("One name for user and domain, in the account's form", .row(63), arguments: Account.UserForm.allCases)
    func qualifiedUser(form: Account.UserForm) {
        func name(_ domain: String?) -> String {
            let account = Account(
                name: "a",
                user: "jdoe",
                domain: domain,
                credential: account.credential,
                userForm: form
            )
            return account.replacing(account.credential).qualifiedUser
        }
        let expected: [Account.UserForm: String] = [.bare: "jdoe", .backslash: #"ACME\jdoe"#, .at: "jdoe@ACME"]
        #expect(name("ACME") == expected[form])
        #expect(name(nil) == "jdoe")
    }

    @Test(
        "A domain before a backslash is the account's domain; a realm stays with the user",
        arguments: [
            (#"ACME\jdoe"#, nil, "jdoe", "ACME", #"ACME\jdoe"#), (#"acme\jdoe"#, "ACME", "jdoe", "acme", #"acme\jdoe"#),
            ("jdoe@acme.example", nil, "jdoe@acme.example", nil, "jdoe@acme.example"),
            (#"OTHER\jdoe"#, "ACME", #"OTHER\jdoe"#, "ACME", #"OTHER\jdoe"#), ("jdoe", nil, "jdoe", nil, "jdoe"),
        ] as [(String, String?, String, String?, String)]
    )
    func names(written: String, domain: String?, user: String, itsDomain: String?, sent: String) {
        let account = Account(name: "a", user: written, domain: domain, credential: account.credential)
        #expect(account.user == user && account.domain == itsDomain && account.qualifiedUser == sent)
    }

    @Test func replacingKeepsEverythingElse() {
        let other = account.replacing(password: SharedSecret(SecretBytes(copying: [1].span)))
        #expect(other.name == "main" && other.user == "jdoe" && other.domain == "ACME")
        #expect(other.credential.password?.count == 1)
    }
}
