internal import ClientCertificates
internal import CredentialStores
internal import Credentials
internal import NIOSSL
internal import OfflineVerbs
internal import SPKIPins
internal import Sallyport
internal import SallyportNIO
internal import Secrets
internal import WireFormat

/// The client certificate of `--cert` or `--cert-identity`.
struct RequestIdentity {
    /// What the identity is called in messages.
    static let name = "--cert"

    private let keyed: KeyedIdentity

    /// Reads the identity of this name in the store. Blocks the calling thread.
    init(kept name: String, in store: SealedFileStore) throws {
        let records = try Blocking.run { [store] in
            guard let query = StoredIdentity.query(for: name) else { return [StoredCredential]() }
            return try await store.credentials(for: query, at: SystemClock.unixSeconds)
        }
        guard let record = records.first else { throw RequestProblem.unknownIdentity(name) }
        let kept = try StoredIdentity.identity(of: record)
        keyed = try KeyedIdentity(name: Self.name, certificates: kept.identity.certificateChain, key: kept.key)
    }

    /// Reads the files; asks for a passphrase if one is needed. Blocks the calling thread.
    init(_ certificate: String, key: String?, passphraseFile: String?, mayAsk: Bool) throws {
        let files: IdentityFiles = key.map { .pair(certificates: certificate, key: $0) } ?? .one(certificate)
        var passphrase = try passphraseFile.map { path in try SecretReference.file(path: path).load(strict: true) }
        do throws(IdentityError) {
            keyed = try KeyedIdentity(name: Self.name, reading: files, passphrase: passphrase)
        } catch {
            guard error.problem == .passphraseNeeded, mayAsk else { throw error }
            passphrase = try TypedSecret.read("Passphrase of \(files.keyFile.inOneLine): ")
            keyed = try KeyedIdentity(name: Self.name, reading: files, passphrase: passphrase)
        }
    }

    /// Assigns the identity to one server.
    func install(in current: CurrentHandler, for site: String, at now: Int64) throws {
        try install(in: current, for: [site], at: now)
    }

    /// Assigns the identity to several servers.
    func install(in current: CurrentHandler, for sites: [String], at now: Int64) throws {
        let assignment = SecurityProfile.Assignment(keyed.identity, sites: sites)
        try current.update(at: now) { profile in
            // A second identity with the same rule would be an error; the argument is meant.
            profile.identities = profile.identities.filter { !sites.contains(where: $0.sites.contains) } + [assignment]
        }
    }

    /// The key for NIOSSL.
    func key() throws -> NIOSSLPrivateKeySource {
        let key = try keyed.key.pkcs8.withBytes { bytes in
            var copy = bytes.indices.map { bytes[$0] }
            defer { erase(&copy) }
            return try NIOSSLPrivateKey(bytes: copy, format: .der)
        }
        return .privateKey(key)
    }
}
