import Credentials
import Secrets
import Testing

@Suite struct AccountTests {
    let account = Account(
        name: "main",
        user: "jdoe",
        domain: "ACME",
        password: SharedSecret(SecretBytes(copying: [UInt8]("Correct-Horse".utf8).span))
    )

    @Test func thePasswordIsNeverPrinted() {
        var dumped = ""
        dump(account, to: &dumped)
        for text in ["\(account)", String(reflecting: account), dumped] {
            #expect(!text.contains("Horse"))
        }
        #expect("\(account)" == "account 'main'")
    }

    @Test("One name for user and domain, in the account's form", arguments: Account.UserForm.allCases)
    func qualifiedUser(form: Account.UserForm) {
        func name(_ domain: String?) -> String {
            let account = Account(name: "a", user: "jdoe", domain: domain, password: account.password, userForm: form)
            return account.replacing(password: account.password).qualifiedUser
        }
        let expected: [Account.UserForm: String] = [.bare: "jdoe", .backslash: #"ACME\jdoe"#, .at: "jdoe@ACME"]
        #expect(name("ACME") == expected[form])
        #expect(name(nil) == "jdoe")
    }

    @Test func replacingKeepsEverythingElse() {
        let other = account.replacing(password: SharedSecret(SecretBytes(copying: [1].span)))
        #expect(other.name == "main" && other.user == "jdoe" && other.domain == "ACME")
        #expect(other.password.count == 1)
    }
}
