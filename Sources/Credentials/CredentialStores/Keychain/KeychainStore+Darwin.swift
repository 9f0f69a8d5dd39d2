#if canImport(Security)
    internal import Darwin
    internal import WireFormat

    /// Keeps credentials in the Keychain of Apple's systems.
    ///
    /// Its calls wait on a thread of the store's own, each for a limited time. On macOS it is the user's own keychain, and several processes may
    /// use it at once; on iOS the application's. Each record is a generic password.
    public final class KeychainStore: CredentialStore {
        private let calls: KeyringCalls

        private init(_ calls: KeyringCalls) { self.calls = calls }

        /// Looks whether an unlocked Keychain answers.
        ///
        /// - Parameter mayUnlock: how long a call may take: ``CredentialLimits/keyringDialogTime``, in which a person can answer a dialog of the
        ///   system, or ``CredentialLimits/keyringCallTime``. Whether there is a dialog is the decision of the system.
        /// - Throws: ``CredentialStoreError/Problem/keyring(_:)`` at ``CredentialStoreError/keyring``.
        public static func open(mayUnlock: Bool = false) async throws(CredentialStoreError) -> KeychainStore {
            let store = KeychainStore(KeyringCalls(mayAsk: mayUnlock))
            try await store.run { (keyring) throws(CredentialStoreError.Problem) in
                _ = try keyring.count(KeyringAttributes.all)
            }
            return store
        }

        /// Adds `credential`, or replaces the record of the same name.
        public func save(_ credential: StoredCredential) async throws(CredentialStoreError) {
            try await run { (keyring) throws(CredentialStoreError.Problem) in
                try keyring.keep(credential, recordsPerHost: CredentialLimits.recordsPerHost)
            }
        }

        /// The credentials that answer a challenge at `now`, in seconds since 1970.
        ///
        /// - Complexity: a call for the list of all records, and one for each record of the host.
        public func credentials(
            for query: CredentialQuery,
            at now: Int64
        ) async throws(CredentialStoreError) -> [StoredCredential] {
            let pairs = KeyringAttributes.pairs(of: query.place)
            let records = try await run { (keyring) throws(CredentialStoreError.Problem) in try keyring.records(pairs) }
            return query.answers(among: records, at: now)
        }

        /// All records without their secrets. The Keychain gives them, too, because the dates of some stand there.
        public func list() async throws(CredentialStoreError) -> [CredentialListing] {
            try await run { (keyring) throws(CredentialStoreError.Problem) in
                try keyring.records(KeyringAttributes.all).map(\.listing).inOrderOfNames()
            }
        }

        /// Removes the record with `name`; returns whether there was one.
        @discardableResult
        public func remove(_ name: CredentialName) async throws(CredentialStoreError) -> Bool {
            try await run { (keyring) throws(CredentialStoreError.Problem) in try keyring.remove(name) }
        }

        /// Removes all records of Sallyport; returns their number.
        @discardableResult
        public func removeAll() async throws(CredentialStoreError) -> Int {
            try await run { (keyring) throws(CredentialStoreError.Problem) in
                try keyring.remove(KeyringAttributes.all)
            }
        }

        private func run<Value: Sendable>(
            _ body: @escaping @Sendable (KeychainConnection) throws(CredentialStoreError.Problem) -> Value
        ) async throws(CredentialStoreError) -> Value {
            try await calls.run { () throws(CredentialStoreError.Problem) in try body(KeychainConnection()) }
        }
    }

    extension KeychainStore: ProcessSharedStore {
        /// Waits for this process's turn, which is a lock on a file of the user's own temporary folder.
        package func turn() async -> StoreTurn? {
            var path = [CChar](repeating: 0, count: Int(PATH_MAX))
            // In bounds: the array's own count. The result counts the zero at the end.
            let count = unsafe confstr(_CS_DARWIN_USER_TEMP_DIR, &path, path.count)
            guard count > 1, count <= path.count else { return nil }
            let folder = SystemPath.text(path.prefix(count - 1).map { UInt8(bitPattern: $0) })
            return await StoreTurn.wait(besides: "\(folder)sallyport-keyring")
        }
    }
#endif
