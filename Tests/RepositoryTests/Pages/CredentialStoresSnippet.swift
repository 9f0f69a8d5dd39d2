import CredentialStores
import Credentials
import Hostnames
import Secrets

/// The snippet of CredentialStores.md.
enum CredentialStoresSnippet {
    static func keep(_ password: SharedSecret, in folder: String, now: Int64) async throws -> [StoredCredential] {
        try StoreKey.makeKeyFile(at: "\(folder)/key")  // a folder of the service alone, such as /var/lib/gateway
        let key = StoreKey.keyFile(path: "\(folder)/key")
        let store = try await SealedFileStore.create(at: "\(folder)/credentials", key: key, now: now)

        let origin = try Origin(parsing: "https://wiki.example")
        let name = CredentialName(space: .origin(origin), user: "jdoe", domain: "ACME")
        try await store.save(StoredCredential(name: name, secret: password, created: now))
        let found = try await store.credentials(for: CredentialQuery(origin: origin, realm: "wiki"), at: now)
        return found
    }
}
