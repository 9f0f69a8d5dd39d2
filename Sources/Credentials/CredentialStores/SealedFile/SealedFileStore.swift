/// Keeps credentials in one sealed file.
///
/// The file shows neither hosts nor accounts nor secrets; see the article of this module for what it does show. Several processes may
/// use it at once. All work is done on a thread of the store's own, so that no caller's thread waits for the disk.
public actor SealedFileStore: CredentialStore {
    private let executor: StoreExecutor
    private var opened: SealedFile?

    private init(_ executor: StoreExecutor) { self.executor = executor }

    /// The thread of this store.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Makes a new file with one key and no record.
    ///
    /// - Parameters:
    ///   - path: a new file; the file `PATH.lock` is made beside it.
    ///   - key: what opens the file.
    ///   - now: seconds since 1970.
    ///   - group: whose members share the file. It gets mode 0660 where they may write to its folder, otherwise 0640; without a group, 0600.
    /// - Throws: ``CredentialStoreError/Problem/exists`` if the path is taken; ``CredentialStoreError/Problem/group(_:)`` if the folder is not the
    ///   group's.
    public static func create(
        at path: String,
        key: StoreKey,
        now: Int64,
        sharedWith group: StoreGroup? = nil
    ) async throws(CredentialStoreError) -> SealedFileStore {
        try await create(at: path, key: key, now: now, sharedWith: group, options: SealedFile.Options())
    }

    /// Opens the file at `path` with one of its keys.
    ///
    /// - Parameters:
    ///   - path: the file; a symbolic link is followed.
    ///   - key: one of its keys.
    ///   - group: whose members share the file; without it a file that others may read is refused.
    /// - Complexity: one read and one authentication of the whole file; scrypt for a passphrase.
    public static func open(
        at path: String,
        key: StoreKey,
        sharedWith group: StoreGroup? = nil
    ) async throws(CredentialStoreError) -> SealedFileStore {
        try await open(at: path, key: key, sharedWith: group, options: SealedFile.Options())
    }

    /// Refuses a place that is not the group's, before a key is made for it.
    package static func check(_ path: String, sharedWith group: StoreGroup) throws(CredentialStoreError) {
        do throws(CredentialStoreError.Problem) {
            try group.checkMembership()
            _ = try group.checkFolder(of: path)
        } catch {
            throw CredentialStoreError(place: path, problem: error)
        }
    }

    package static func create(
        at path: String,
        key: StoreKey,
        now: Int64,
        sharedWith group: StoreGroup? = nil,
        options: SealedFile.Options
    ) async throws(CredentialStoreError) -> SealedFileStore {
        let store = SealedFileStore(StoreExecutor())
        try await store.create(at: path, key: key, now: now, sharedWith: group, options: options)
        return store
    }

    package static func open(
        at path: String,
        key: StoreKey,
        sharedWith group: StoreGroup? = nil,
        options: SealedFile.Options
    ) async throws(CredentialStoreError) -> SealedFileStore {
        let store = SealedFileStore(StoreExecutor())
        try await store.open(at: path, key: key, sharedWith: group, options: options)
        return store
    }

    private func create(
        at path: String,
        key: StoreKey,
        now: Int64,
        sharedWith group: StoreGroup?,
        options: SealedFile.Options
    ) throws(CredentialStoreError) {
        opened = try SealedFile.create(at: path, key: key, now: now, sharedWith: group, options: options)
    }

    private func open(
        at path: String,
        key: StoreKey,
        sharedWith group: StoreGroup?,
        options: SealedFile.Options
    ) throws(CredentialStoreError) {
        opened = try SealedFile.open(at: path, key: key, sharedWith: group, options: options)
    }

    private var file: SealedFile {
        guard let opened else { preconditionFailure("a store is returned only once its file is open") }
        return opened
    }

    /// The path of the file, without symbolic links, and the group that shares it.
    private var place: (path: String, group: StoreGroup?) { (file.path, file.group) }

    /// The number of the key slot that opened the file.
    package var openedSlot: UInt32 { file.openedSlot }

    /// Adds `credential`, or replaces the record of the same name.
    ///
    /// - Complexity: the whole file is written; O(*n*) in its bytes.
    public func save(_ credential: StoredCredential) throws(CredentialStoreError) { try file.save(credential) }

    /// The credentials that answer a challenge at `now`, in seconds since 1970.
    ///
    /// - Complexity: O(log *n*), and one unsealing for each record of the host.
    public func credentials(
        for query: CredentialQuery,
        at now: Int64
    ) throws(CredentialStoreError) -> [StoredCredential] { try file.credentials(for: query, at: now) }

    /// All records without their secrets.
    public func list() throws(CredentialStoreError) -> [CredentialListing] { try file.list() }

    /// Removes the record with `name`; returns whether there was one.
    @discardableResult
    public func remove(_ name: CredentialName) throws(CredentialStoreError) -> Bool { try file.remove(name) }

    /// Removes all records; returns their number. The keys stay.
    @discardableResult
    public func removeAll() throws(CredentialStoreError) -> Int { try file.removeAll() }

    /// The keys of the file, without the keys themselves.
    public func keySlots() throws(CredentialStoreError) -> [KeySlotListing] { try file.keySlots() }

    /// Adds keys and removes others, in one write.
    ///
    /// A key that is removed still opens older copies of the file. Someone who has used it may also have kept the data key;
    /// ``renewDataKey(keys:now:)`` ends that.
    ///
    /// - Parameters:
    ///   - added: new keys; ``CredentialLimits/keySlots`` bounds the number of all.
    ///   - removed: the numbers of slots; one slot must stay.
    ///   - now: seconds since 1970.
    /// - Returns: the slots afterwards.
    @discardableResult
    public func rekey(
        adding added: [StoreKey],
        removing removed: [UInt32],
        now: Int64
    ) throws(CredentialStoreError) -> [KeySlotListing] {
        try file.rekey(adding: added, removing: removed, now: now)
    }

    /// Seals all records under a new data key, which `keys` open and no other key does. Other processes must open the store again.
    ///
    /// - Returns: the slots afterwards.
    @discardableResult
    public func renewDataKey(keys: [StoreKey], now: Int64) throws(CredentialStoreError) -> [KeySlotListing] {
        try file.renewDataKey(keys: keys, now: now)
    }
}

extension SealedFileStore: ProcessSharedStore {
    /// Waits for this process's turn, which is a lock on the file `PATH.turn.lock`; the file stays.
    package nonisolated func turn() async -> StoreTurn? {
        let (path, group) = await place
        return await StoreTurn.wait(besides: path, sharedWith: group)
    }
}
