internal import Secrets
internal import WireFormat

/// A keyring for one operation of a store, on a thread that may wait: a Secret Service, or Apple's Keychain.
///
/// An item of it is a record: attributes, a secret, and the date when it was written.
protocol KeyringAccess {
    /// The number of items with these attributes.
    func count(_ pairs: [KeyringPair]) throws(CredentialStoreError.Problem) -> Int

    /// The records of the items with these attributes, with their secrets.
    func records(_ pairs: [KeyringPair]) throws(CredentialStoreError.Problem) -> [StoredCredential]

    /// Keeps a secret, and replaces the item that has these attributes.
    func save(_ secret: SharedSecret, _ pairs: [KeyringPair], label: String) throws(CredentialStoreError.Problem)

    /// Removes the items with these attributes; returns their number.
    func remove(_ pairs: [KeyringPair]) throws(CredentialStoreError.Problem) -> Int
}

extension KeyringAccess {
    /// Adds a record, or replaces the one of the same name.
    func keep(_ credential: StoredCredential, recordsPerHost: Int) throws(CredentialStoreError.Problem) {
        if let problem = credential.problem { throw problem }
        let name = credential.name
        let own = KeyringAttributes.pairs(of: name)
        if try count(own) == 0 {
            guard try count(KeyringAttributes.all) < CredentialLimits.records else { throw .tooManyRecords }
            guard try count(KeyringAttributes.pairs(of: name.space.place)) < recordsPerHost else {
                throw .tooManyRecordsForHost
            }
        }
        let value = KeyringValue.encode(credential, now: SystemClock.unixSeconds)
        try save(value, own, label: KeyringAttributes.label(of: name))
    }

    /// Removes the record with `name`; returns whether there was one.
    func remove(_ name: CredentialName) throws(CredentialStoreError.Problem) -> Bool {
        // The item of such a name would be another one's, or none.
        if let problem = name.problem { throw problem }
        return try remove(KeyringAttributes.pairs(of: name)) > 0
    }
}

/// The records of items. Of two with the same name the newer one counts: a person may have moved an older item to another collection, where
/// it is not replaced.
struct KeyringRecords {
    private var newest: [CredentialName: (written: Int64, record: StoredCredential)] = [:]

    var all: [StoredCredential] { newest.values.map(\.record) }

    /// Adds the record of an item.
    ///
    /// - Parameters:
    ///   - record: its record; `nil` if its attributes are not those of a record, or its secret has another form.
    ///   - written: when the keyring has written it.
    /// - Throws: ``KeyringProblem/foreignItem``.
    mutating func add(_ record: StoredCredential?, written: Int64) throws(CredentialStoreError.Problem) {
        guard let record else { throw .keyring(.foreignItem) }
        if let other = newest[record.name], other.written >= written { return }
        newest[record.name] = (written, record)
    }
}
