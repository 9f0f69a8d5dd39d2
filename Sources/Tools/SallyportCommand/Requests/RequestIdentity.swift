internal import ClientCertificates
internal import CredentialStores
internal import Credentials
internal import NIOSSL
internal import OfflineVerbs
internal import SPKIPins
internal import Sallyport
internal import SallyportNIO
internal import Secrets
internal import SmartCards
internal import WireFormat

/// The client certificate of `--cert` or `--cert-identity`.
struct RequestIdentity {
    /// What the identity is called in messages.
    static let name = "--cert"
    /// How long a card may take for one operation.
    private static let cardLimit = Duration.seconds(60)

    private enum Key {
        case read(IdentityKey)
        case card(CardKey, of: SmartCard)
    }

    private let identity: ClientIdentity
    private let key: Key

    private init(_ keyed: KeyedIdentity) { (identity, key) = (keyed.identity, .read(keyed.key)) }

    /// Reads the identity of this name in the store. Blocks the calling thread.
    init(kept name: String, in store: SealedFileStore) throws {
        let records = try Blocking.run { [store] in
            guard let query = StoredIdentity.query(for: name) else { return [StoredCredential]() }
            return try await store.credentials(for: query, at: SystemClock.unixSeconds)
        }
        guard let record = records.first else { throw RequestProblem.unknownIdentity(name) }
        let kept = try StoredIdentity.identity(of: record)
        self.init(
            try KeyedIdentity(name: Self.name, certificates: kept.identity.certificateChain, key: kept.key)
        )
    }

    /// Reads the files; asks for a passphrase if one is needed. Blocks the calling thread.
    init(_ certificate: String, key: String?, passphraseFile: String?, mayAsk: Bool) throws {
        let files: IdentityFiles = key.map { .pair(certificates: certificate, key: $0) } ?? .one(certificate)
        var passphrase = try passphraseFile.map { path in try SecretReference.file(path: path).load(strict: true) }
        do throws(IdentityError) {
            self.init(try KeyedIdentity(name: Self.name, reading: files, passphrase: passphrase))
        } catch {
            guard error.problem == .passphraseNeeded, mayAsk else { throw error }
            passphrase = try TypedSecret.read("Passphrase of \(files.keyFile.inOneLine): ")
            self.init(try KeyedIdentity(name: Self.name, reading: files, passphrase: passphrase))
        }
    }

    /// Opens the card that a URI of RFC 7512 names; asks for its PIN if one is needed. Blocks the calling thread.
    ///
    /// The caller ends the session with ``close()``.
    init(card text: String, pinFile: String?, mayAsk: Bool) throws {
        let uri: PKCS11URI
        do throws(PKCS11URIError) { uri = try PKCS11URI(parsing: text) } catch {
            throw RequestProblem.card("\(error)")
        }
        var pin = try pinFile.map { path in try SecretReference.file(path: path).load(strict: true) }
        let card: SmartCard
        do {
            card = try Self.open(uri, pin)
        } catch let error as SmartCardError where error.problem == .pinNeeded {
            guard mayAsk else { throw RequestProblem.noPIN }
            do {
                pin = try TypedSecret.read("PIN of \((uri.token ?? "the card").inOneLine): ")
            } catch TypedSecretError.noTerminal {
                throw RequestProblem.noPIN
            }
            card = try Self.open(uri, pin)
        }
        let found = try Blocking.run {
            do { return try await card.identity(named: Self.name) } catch {
                await card.close()
                throw error
            }
        }
        (identity, key) = (found.identity, .card(found.key, of: card))
    }

    private static func open(_ uri: PKCS11URI, _ pin: SharedSecret?) throws -> SmartCard {
        var options = SmartCardOptions()
        options.waitLimit = cardLimit
        return try Blocking.run { [options] in try await SmartCard.open(uri, pin: pin, options: options) }
    }

    /// Ends the session with the card, if there is one, and waits until it has ended: SoftHSM may hold a process that ends meanwhile.
    /// Blocks the calling thread.
    func close() {
        guard case .card(_, of: let card) = key else { return }
        try? Blocking.run { await card.close() }
    }

    /// Assigns the identity to one server.
    func install(in current: CurrentHandler, for site: String, at now: Int64) throws {
        try install(in: current, for: [site], at: now)
    }

    /// Assigns the identity to several servers.
    func install(in current: CurrentHandler, for sites: [String], at now: Int64) throws {
        let assignment = SecurityProfile.Assignment(identity, sites: sites)
        try current.update(at: now) { profile in
            // A second identity with the same rule would be an error; the argument is meant.
            profile.identities = profile.identities.filter { !sites.contains(where: $0.sites.contains) } + [assignment]
        }
    }

    /// Gives the key to the settings.
    func addKey(to settings: inout TLSSettings) throws {
        switch key {
        case .card(let key, of: _): settings.signingKeys[Self.name] = key
        case .read(let key):
            let source = try key.pkcs8.withBytes { bytes in
                var copy = bytes.indices.map { bytes[$0] }
                defer { erase(&copy) }
                return try NIOSSLPrivateKey(bytes: copy, format: .der)
            }
            settings.identityKeys[Self.name] = .privateKey(source)
        }
    }
}
