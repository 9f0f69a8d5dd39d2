/// Keeps credentials: in memory, in a sealed file, in the keyring of the desktop, or in a place of the application.
///
/// A store may wait for a disk, for another process or for a person. All functions are therefore asynchronous, and a store
/// must do its waiting on a thread of its own: it never blocks the thread of the caller, which may be an event loop.
///
/// A store keeps one record per ``CredentialName``. Of two writers of one name, the later one wins; writers of different
/// names never lose each other's record.
public protocol CredentialStore: Sendable {
    /// Adds `credential`, or replaces the record of the same name. It is durable when the function returns.
    func save(_ credential: StoredCredential) async throws(CredentialStoreError)

    /// The credentials that answer a challenge at `now`, in seconds since 1970: those of the narrowest space first, of equally
    /// wide spaces the newest first. Expired ones are left out.
    func credentials(
        for query: CredentialQuery,
        at now: Int64
    ) async throws(CredentialStoreError) -> [StoredCredential]

    /// All records without their secrets, also expired ones, in an order that depends only on their names.
    func list() async throws(CredentialStoreError) -> [CredentialListing]

    /// Removes the record with `name`; returns whether there was one.
    @discardableResult
    func remove(_ name: CredentialName) async throws(CredentialStoreError) -> Bool

    /// Removes all records; returns their number.
    @discardableResult
    func removeAll() async throws(CredentialStoreError) -> Int
}
