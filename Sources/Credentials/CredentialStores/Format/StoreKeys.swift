/// The data key of a store and the keys that are derived from it, see ``SealedImage``.
struct StoreKeys {
    let dataKey: SealingKey
    let file: SealingKey
    private let records: SealingKey
    private let names: SealingKey
    private let context: [UInt8]

    init(_ dataKey: SealingKey, identifier: [UInt8]) {
        self.dataKey = dataKey
        records = dataKey.derived(salt: identifier, purpose: "sallyport store records")
        names = dataKey.derived(salt: identifier, purpose: "sallyport store names")
        file = dataKey.derived(salt: identifier, purpose: "sallyport store file")
        context = SealedImage.context(identifier)
    }

    /// The keyed hash that records of one place share.
    func tag(of place: CredentialSpace.Place) -> Tag { tag([0] + place.encoded) }

    /// The keyed hashes of the record with `name`.
    func key(of name: CredentialName) -> RecordKey {
        // The first byte keeps the hashes of hosts and of names apart.
        RecordKey(host: tag(of: name.space.place), identifier: tag([1] + name.encoded))
    }

    func seal(_ credential: StoredCredential) -> [UInt8] {
        SealedRecord.seal(credential, key: key(of: credential.name), context: context, with: records)
    }

    func open(_ record: ArraySlice<UInt8>) throws(CredentialStoreError.Problem) -> StoredCredential {
        try SealedRecord.open(record, context: context, with: records)
    }

    private func tag(_ bytes: [UInt8]) -> Tag { Tag(names.code(of: bytes[...]), at: 0) }
}
