internal import Credentials

/// The key slots, and the data key that they open.
extension SealedFile {
    /// Adds key slots and removes others, in one write. The data key stays; see ``renewDataKey(keys:now:)``.
    ///
    /// - Returns: the slots afterwards.
    package func rekey(
        adding added: [StoreKey],
        removing removed: [UInt32],
        now: Int64
    ) throws(CredentialStoreError) -> [KeySlotListing] {
        var materials: [KeyMaterial] = []
        for key in added { materials.append(try key.material(sharedWith: group)) }
        return try placed { () throws(CredentialStoreError.Problem) in
            try change { (draft) throws(CredentialStoreError.Problem) in
                for number in removed {
                    guard let index = draft.slots.firstIndex(where: { $0.listing.number == number }) else {
                        throw .noSuchKeySlot(number)
                    }
                    draft.slots.remove(at: index)
                }
                guard !(draft.slots.isEmpty && materials.isEmpty) else { throw .lastKeySlot }
                // Above all numbers that were in the file, so that a number that was removed does not mean another key.
                try addSlots(materials, to: &draft, after: image.slots.map(\.listing.number).max() ?? 0, now: now)
                draft.isChanged = !removed.isEmpty || !added.isEmpty
                return draft.slots.map(\.listing)
            }
        }
    }

    /// Seals all records under a new data key, which `keys` open and no other key does.
    ///
    /// A key slot cannot be taken over, because its key is not in the file. Other processes must open the store again.
    ///
    /// - Returns: the slots afterwards.
    package func renewDataKey(keys: [StoreKey], now: Int64) throws(CredentialStoreError) -> [KeySlotListing] {
        var materials: [KeyMaterial] = []
        for key in keys { materials.append(try key.material(sharedWith: group)) }
        return try placed { () throws(CredentialStoreError.Problem) in
            guard !materials.isEmpty else { throw .lastKeySlot }
            return try change { (draft) throws(CredentialStoreError.Problem) in
                let renewed = StoreKeys(.random(), identifier: image.identifier)
                var records: [(key: RecordKey, bytes: ArraySlice<UInt8>)] = []
                for record in draft.records {
                    let credential = try draft.keys.open(record)
                    records.append((renewed.key(of: credential.name), renewed.seal(credential)[...]))
                }
                draft.records = records.sorted { $0.key < $1.key }.map(\.bytes)
                draft.keys = renewed
                draft.slots = []
                try addSlots(materials, to: &draft, after: image.slots.map(\.listing.number).max() ?? 0, now: now)
                return draft.slots.map(\.listing)
            }
        }
    }

    private func addSlots(
        _ materials: [KeyMaterial],
        to draft: inout Draft,
        after last: UInt32,
        now: Int64
    ) throws(CredentialStoreError.Problem) {
        guard draft.slots.count + materials.count <= CredentialLimits.keySlots else { throw .tooManyKeySlots }
        var number = last
        for material in materials {
            number &+= 1
            let slot = KeySlot(
                number: number,
                wrapping: draft.keys.dataKey,
                with: material,
                passphraseCost: passphraseCost,
                created: now,
                context: image.context
            )
            guard let slot else { throw .noMemoryForPassphrase }
            draft.slots.append(slot)
        }
    }
}
