import ClientIdentities
import Credentials

/// The snippet of ClientIdentities.md, which reads files of the current folder.
enum ClientIdentitiesSnippet {
    static func laptop() throws -> KeyedIdentity {
        let laptop = try KeyedIdentity(
            name: "laptop",
            reading: .one("laptop.p12"),
            passphrase: SecretReference.file(path: "laptop.passphrase").load()
        )
        return laptop
    }
}
