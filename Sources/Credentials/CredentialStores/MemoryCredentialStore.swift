/// Keeps credentials until the process ends.
///
/// Secrets stay in their erased boxes; the store never copies them.
public actor MemoryCredentialStore: CredentialStore {
    private var records: [CredentialSpace.Place: [CredentialName: StoredCredential]] = [:]
    private var count = 0

    /// Makes an empty store.
    public init() {}

    /// Adds `credential`, or replaces the record of the same name.
    public func save(_ credential: StoredCredential) throws(CredentialStoreError) {
        if let problem = credential.problem { throw Self.error(problem) }
        let place = credential.name.space.place
        var atPlace = records[place] ?? [:]
        if atPlace[credential.name] == nil {
            guard count < CredentialLimits.records else { throw Self.error(.tooManyRecords) }
            guard atPlace.count < CredentialLimits.recordsPerHost else { throw Self.error(.tooManyRecordsForHost) }
            count += 1
        }
        atPlace[credential.name] = credential
        records[place] = atPlace
    }

    /// The credentials that answer a challenge at `now`.
    ///
    /// - Complexity: O(*n*) in the number of records for the host.
    public func credentials(
        for query: CredentialQuery,
        at now: Int64
    ) throws(CredentialStoreError) -> [StoredCredential] {
        query.answers(among: Array((records[query.place] ?? [:]).values), at: now)
    }

    /// All records without their secrets.
    public func list() throws(CredentialStoreError) -> [CredentialListing] {
        records.values.flatMap { $0.values.map(\.listing) }.inOrderOfNames()
    }

    /// Removes the record with `name`; returns whether there was one.
    @discardableResult
    public func remove(_ name: CredentialName) throws(CredentialStoreError) -> Bool {
        let place = name.space.place
        guard var atPlace = records[place], atPlace.removeValue(forKey: name) != nil else { return false }
        records[place] = atPlace.isEmpty ? nil : atPlace
        count -= 1
        return true
    }

    /// Removes all records; returns their number.
    @discardableResult
    public func removeAll() throws(CredentialStoreError) -> Int {
        defer { (records, count) = ([:], 0) }
        return count
    }

    private static func error(_ problem: CredentialStoreError.Problem) -> CredentialStoreError {
        CredentialStoreError(place: CredentialStoreError.memory, problem: problem)
    }
}
