/// Keeps credentials in the keyring of the desktop: GNOME Keyring, KeePassXC, KWallet or another Secret Service.
///
/// libsecret talks with the service; it is loaded while the program runs. Its calls wait on a thread of the store's own, each for a limited
/// time. Several processes may use the keyring at once. Every program of the same session can read what it holds while it is unlocked.
public final class KeyringStore: CredentialStore {
    private let library: SecretLibrary
    private let options: Options
    private let calls: KeyringCalls

    /// What tests choose otherwise.
    package struct Options: Sendable {
        /// Whether a dialog may ask for the keyring's password.
        package var mayUnlock = false
        /// The library, as the system's loader takes it.
        package var library = SecretLibrary.usualName
        /// The most records for one scheme and host of one party.
        package var recordsPerHost = CredentialLimits.recordsPerHost
        /// How long a call may take; `nil` for the limit of ``CredentialLimits``.
        package var limit: Duration?

        /// Those of a program.
        package init() {}
    }

    private init(_ library: SecretLibrary, _ options: Options, _ calls: KeyringCalls) {
        (self.library, self.options, self.calls) = (library, options, calls)
    }

    /// Loads the library, and looks whether an unlocked keyring answers.
    ///
    /// - Parameter mayUnlock: whether a dialog may ask a person for the keyring's password. Without it a keyring that is locked is an error,
    ///   now and at each later call, because a service without a person would wait for the dialog.
    /// - Throws: ``CredentialStoreError/Problem/keyring(_:)`` at ``CredentialStoreError/keyring``.
    public static func open(mayUnlock: Bool = false) async throws(CredentialStoreError) -> KeyringStore {
        var options = Options()
        options.mayUnlock = mayUnlock
        return try await open(options)
    }

    package static func open(_ options: Options) async throws(CredentialStoreError) -> KeyringStore {
        let calls = KeyringCalls(mayAsk: options.mayUnlock, limit: options.limit)
        let library = try await calls.run { () throws(CredentialStoreError.Problem) in
            do throws(KeyringProblem) { return try SecretLibrary(options.library) } catch { throw .keyring(error) }
        }
        let store = KeyringStore(library, options, calls)
        try await store.run { _ in }
        return store
    }

    /// Adds `credential`, or replaces the record of the same name.
    ///
    /// - Complexity: a few calls of the service, about 20 ms.
    public func save(_ credential: StoredCredential) async throws(CredentialStoreError) {
        let recordsPerHost = options.recordsPerHost
        try await run { (keyring) throws(CredentialStoreError.Problem) in
            try keyring.keep(credential, recordsPerHost: recordsPerHost)
        }
    }

    /// The credentials that answer a challenge at `now`, in seconds since 1970.
    ///
    /// - Complexity: a call of the service for each record of the host.
    public func credentials(
        for query: CredentialQuery,
        at now: Int64
    ) async throws(CredentialStoreError) -> [StoredCredential] {
        let records = try await records(KeyringAttributes.pairs(of: query.place))
        return query.answers(among: records, at: now)
    }

    /// All records without their secrets. The service gives them, too, because the dates of some stand there.
    public func list() async throws(CredentialStoreError) -> [CredentialListing] {
        try await records(KeyringAttributes.all).map(\.listing).inOrderOfNames()
    }

    /// Removes the record with `name`; returns whether there was one.
    @discardableResult
    public func remove(_ name: CredentialName) async throws(CredentialStoreError) -> Bool {
        try await run { (keyring) throws(CredentialStoreError.Problem) in try keyring.remove(name) }
    }

    /// Removes all records of Sallyport; returns their number.
    @discardableResult
    public func removeAll() async throws(CredentialStoreError) -> Int {
        try await run { (keyring) throws(CredentialStoreError.Problem) in try keyring.remove(KeyringAttributes.all) }
    }

    private func records(_ pairs: [KeyringPair]) async throws(CredentialStoreError) -> [StoredCredential] {
        try await run { (keyring) throws(CredentialStoreError.Problem) in try keyring.records(pairs) }
    }

    // MARK: - Waiting

    /// Calls `body` with a new connection, on the store's thread.
    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (KeyringConnection) throws(CredentialStoreError.Problem) -> Value
    ) async throws(CredentialStoreError) -> Value {
        let (cancel, library, mayUnlock) = (KeyringCancel(library), library, options.mayUnlock)
        do throws(CredentialStoreError) {
            return try await calls.run { () throws(CredentialStoreError.Problem) in
                let connection = try KeyringConnection(library, mayUnlock: mayUnlock, cancel: cancel)
                return try body(connection)
            }
        } catch {
            // A call that has timed out ends now, and its thread takes the next one. It may have been carried out.
            cancel.cancel()
            throw error
        }
    }
}
