import Credentials

/// The snippet of Credentials.md.
enum CredentialsSnippet {
    static func account(pathOfSecret: String) throws -> Account {
        let password = try SecretReference.file(path: pathOfSecret).load()
        let account = Account(name: "jdoe", user: "jdoe", domain: "ACME", password: password, userForm: .backslash)
        return account
    }
}
