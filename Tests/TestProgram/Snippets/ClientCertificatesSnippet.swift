import ClientCertificates
import Credentials

/// The snippet of ClientCertificates.md, which reads files of the current folder.
enum ClientCertificatesSnippet {
    static func laptop() throws -> KeyedIdentity {
        let laptop = try KeyedIdentity(
            name: "laptop",
            reading: .one("laptop.p12"),
            passphrase: SecretReference.file(path: "laptop.passphrase").load()
        )
        return laptop
    }
}
