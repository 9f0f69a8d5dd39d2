extension SealedImage {
    /// The keys of the store and the number of the first slot that opens, once the whole file is authentic under them.
    ///
    /// - Complexity: for a passphrase, one scrypt for each slot of a passphrase; O(*n*) in the bytes of the file.
    func unlock(with material: KeyMaterial) throws(CredentialStoreError.Problem) -> (keys: StoreKeys, slot: UInt32) {
        let candidates = slots.filter { $0.listing.kind == material.kind }
        guard !candidates.isEmpty else { throw .noKeySlot(material.kind) }
        for slot in candidates {
            switch slot.open(with: material, context: context) {
            case .wrongKey: continue
            case .noMemory: throw .noMemoryForPassphrase
            case .dataKey(let dataKey):
                let keys = StoreKeys(dataKey, identifier: identifier)
                guard isAuthentic(under: keys) else { throw .damaged(.seal) }
                return (keys, slot.listing.number)
            }
        }
        throw .wrongKey
    }
}
