internal import Credentials
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// An open sealed file. Each function waits for the disk, so it must not be called on an event loop; ``SealedFileStore`` calls them
/// on a thread of its own.
///
/// The bytes of the file stay in memory, sealed. A read looks whether the file has changed (one system call) and unseals only the
/// records that it needs.
package final class SealedFile {
    /// The path of the file itself, at the end of all links.
    package let path: String
    /// The number of the key slot that opened the file. Another process may have removed the slot.
    package let openedSlot: UInt32
    /// The group that shares the file; `nil` if it is this user's alone.
    package let group: StoreGroup?
    /// What passphrases of new key slots cost.
    let passphraseCost: ScryptCost
    private let lock: WriterLock
    private var keys: StoreKeys
    private(set) var image: SealedImage
    /// The file that ``image`` was read from; `nil` if that is not known.
    private var file: PrivateFile?

    private init(
        _ path: String,
        _ group: StoreGroup?,
        _ options: Options,
        _ slot: UInt32,
        _ keys: StoreKeys,
        _ image: SealedImage,
        _ file: PrivateFile?
    ) {
        self.path = path
        self.group = group
        openedSlot = slot
        passphraseCost = options.passphraseCost
        // The lock has one path, whichever link leads to the file.
        lock = WriterLock(besides: path, patienceMilliseconds: options.patienceMilliseconds, sharedWith: group)
        self.keys = keys
        self.image = image
        self.file = file
    }

    /// What tests choose otherwise.
    package struct Options: Sendable {
        /// What passphrases of new key slots cost.
        package var passphraseCost = ScryptCost.standard
        /// How long a writer waits for another one.
        package var patienceMilliseconds = WriterLock.defaultPatienceMilliseconds

        /// Those of a program.
        package init() {}
    }

    // MARK: - Opening

    /// Makes a new file with one key slot and no record.
    package static func create(
        at path: String,
        key: StoreKey,
        now: Int64,
        sharedWith group: StoreGroup? = nil,
        options: Options = Options()
    ) throws(CredentialStoreError) -> SealedFile {
        let material = try key.material(sharedWith: group)
        return try placed(path) { () throws(CredentialStoreError.Problem) in
            // Before the lock, too, whose file would be made inside a folder or beside nothing.
            guard !path.isEmpty else { throw .missing }
            try group?.checkMembership()
            let permissions = try group?.checkFolder(of: path) ?? 0o600
            guard !FileReading.isTaken(path) else { throw .exists }
            let lock = WriterLock(
                besides: path,
                patienceMilliseconds: options.patienceMilliseconds,
                sharedWith: group
            )
            return try lock.hold { () throws(CredentialStoreError.Problem) in
                guard !FileReading.isTaken(path) else { throw .exists }
                let identifier = randomBytes(SealedImage.identifierLength)
                let keys = StoreKeys(.random(), identifier: identifier)
                let slot = KeySlot(
                    number: 1,
                    wrapping: keys.dataKey,
                    with: material,
                    passphraseCost: options.passphraseCost,
                    created: now,
                    context: SealedImage.context(identifier)
                )
                guard let slot else { throw .noMemoryForPassphrase }
                let image = try SealedImage(identifier: identifier, write: 1, slots: [slot], records: [], keys: keys)
                try replace(path, by: image, permissions, group)
                return SealedFile(
                    try realPath(of: path),
                    group,
                    options,
                    slot.listing.number,
                    keys,
                    image,
                    try? PrivateFile(path, rule(group))
                )
            }
        }
    }

    /// Opens the file at `path` with one of its keys.
    package static func open(
        at path: String,
        key: StoreKey,
        sharedWith group: StoreGroup? = nil,
        options: Options = Options()
    ) throws(CredentialStoreError) -> SealedFile {
        let material = try key.material(sharedWith: group)
        return try placed(path) { () throws(CredentialStoreError.Problem) in
            let path = try realPath(of: path)
            try group?.checkMembership()
            let (file, image) = try read(path, group)
            let opened = try image.unlock(with: material)
            return SealedFile(path, group, options, opened.slot, opened.keys, image, file)
        }
    }

    /// The rule for a file of this user's own. The group judges one that it shares.
    private static func rule(_ group: StoreGroup?) -> FileRule? { group == nil ? .secret : nil }

    private static func read(
        _ path: String,
        _ group: StoreGroup?
    ) throws(CredentialStoreError.Problem) -> (PrivateFile, SealedImage) {
        if let group { _ = try group.checkFolder(of: path) }
        let file = try CredentialStoreError.Problem.translating { () throws(PrivateFileProblem) in
            try PrivateFile(path, rule(group))
        }
        try group?.check(file)
        guard file.size <= CredentialLimits.fileBytes else { throw .tooLarge(bytes: file.size) }
        return (file, try SealedImage(parsing: try CredentialStoreError.Problem.translating(file.read)))
    }

    private static func realPath(of path: String) throws(CredentialStoreError.Problem) -> String {
        guard let real = unsafe SystemPath.withSystemPath(path, { unsafe realpath($0, nil) }) else {
            throw errno == ENOENT ? .missing : .system(operation: "find the file", code: errno)
        }
        defer { unsafe free(real) }
        // Allocated by the call, with a NUL at its end.
        return unsafe SystemPath.text(endingWithZero: real)
    }

    // MARK: - Reading

    /// The credentials that answer a challenge, see ``CredentialStore/credentials(for:at:)``.
    ///
    /// - Complexity: one system call, one HMAC, O(log *n*) steps, and one unsealing for each record of the host.
    package func credentials(
        for query: CredentialQuery,
        at now: Int64
    ) throws(CredentialStoreError) -> [StoredCredential] {
        try placed { () throws(CredentialStoreError.Problem) in
            try refresh()
            var records: [StoredCredential] = []
            for index in image.indices(ofHost: keys.tag(of: query.place)) {
                records.append(try keys.open(image.record(at: index)))
            }
            return query.answers(among: records, at: now)
        }
    }

    /// All records without their secrets. Unseals all of them.
    package func list() throws(CredentialStoreError) -> [CredentialListing] {
        try placed { () throws(CredentialStoreError.Problem) in
            try refresh()
            var listings: [CredentialListing] = []
            listings.reserveCapacity(image.records.count)
            for index in image.records.indices { listings.append(try keys.open(image.record(at: index)).listing) }
            return listings.inOrderOfNames()
        }
    }

    /// The key slots.
    package func keySlots() throws(CredentialStoreError) -> [KeySlotListing] {
        try placed { () throws(CredentialStoreError.Problem) in
            try refresh()
            return image.slots.map(\.listing)
        }
    }

    /// Reads the file again if it is another one than was read last.
    private func refresh() throws(CredentialStoreError.Problem) {
        if let file {
            let isCurrent = try CredentialStoreError.Problem.translating { () throws(PrivateFileProblem) in
                try file.isCurrent(at: path)
            }
            if isCurrent { return }
        }
        let (file, found) = try Self.read(path, group)
        guard found.identifier == image.identifier else { throw .replaced }
        guard found.isAuthentic(under: keys) else { throw .keyRenewed }
        // A write has a new number, so another file with an old number is an old copy that was brought back.
        guard found.write > image.write || found.bytes == image.bytes else {
            throw .rolledBack(seen: image.write, found: found.write)
        }
        (self.file, image) = (file, found)
    }

    // MARK: - Writing

    /// Adds or replaces a record, see ``CredentialStore/save(_:)``.
    package func save(_ credential: StoredCredential) throws(CredentialStoreError) {
        try placed { () throws(CredentialStoreError.Problem) in
            if let problem = credential.problem { throw problem }
            try change { (draft) throws(CredentialStoreError.Problem) in
                let record = draft.keys.seal(credential)
                let key = draft.keys.key(of: credential.name)
                let (index, isPresent) = image.place(of: key)
                if isPresent {
                    draft.records[index] = record[...]
                    return
                }
                guard draft.records.count < CredentialLimits.records else { throw .tooManyRecords }
                guard image.indices(ofHost: key.host).count < CredentialLimits.recordsPerHost else {
                    throw .tooManyRecordsForHost
                }
                draft.records.insert(record[...], at: index)
            }
        }
    }

    /// Removes a record; returns whether there was one.
    package func remove(_ name: CredentialName) throws(CredentialStoreError) -> Bool {
        try placed { () throws(CredentialStoreError.Problem) in
            try change { (draft) throws(CredentialStoreError.Problem) in
                let (index, isPresent) = image.place(of: draft.keys.key(of: name))
                if isPresent { draft.records.remove(at: index) }
                draft.isChanged = isPresent
                return isPresent
            }
        }
    }

    /// Removes all records; returns their number.
    package func removeAll() throws(CredentialStoreError) -> Int {
        try placed { () throws(CredentialStoreError.Problem) in
            try change { (draft) throws(CredentialStoreError.Problem) in
                defer { draft.records = [] }
                draft.isChanged = !draft.records.isEmpty
                return draft.records.count
            }
        }
    }

    /// What a write changes.
    struct Draft {
        var keys: StoreKeys
        var slots: [KeySlot]
        /// In ascending order of their keys.
        var records: [ArraySlice<UInt8>]
        var isChanged = true
    }

    /// Reads the newest state under the lock, changes it, and replaces the file.
    func change<Result>(
        _ body: (inout Draft) throws(CredentialStoreError.Problem) -> Result
    ) throws(CredentialStoreError.Problem) -> Result {
        try lock.hold { () throws(CredentialStoreError.Problem) in
            try refresh()
            var draft = Draft(keys: keys, slots: image.slots, records: image.records.map { image.bytes[$0] })
            let result = try body(&draft)
            guard draft.isChanged else { return result }
            let changed = try SealedImage(
                identifier: image.identifier,
                write: image.write + 1,
                slots: draft.slots,
                records: draft.records,
                keys: draft.keys
            )
            // Those of the file, which a person may have narrowed.
            let permissions = group == nil ? 0o600 : file?.mode ?? 0o640
            try Self.replace(path, by: changed, permissions, group)
            // Other writers wait for the lock, so the file at the path is the one that was just written.
            (keys, image, file) = (draft.keys, changed, try? PrivateFile(path, Self.rule(group)))
            return result
        }
    }

    private static func replace(
        _ path: String,
        by image: SealedImage,
        _ permissions: UInt16,
        _ group: StoreGroup?
    ) throws(CredentialStoreError.Problem) {
        do throws(FileWriteError) {
            try FileReplacement.write(
                image.bytes.span,
                to: path,
                permissions: permissions,
                group: group?.identifier,
                isDurable: true
            )
        } catch {
            throw .refusal(of: "write the store", code: error.errno)
        }
    }

    // MARK: - Places of errors

    func placed<Result>(
        _ body: () throws(CredentialStoreError.Problem) -> Result
    ) throws(CredentialStoreError) -> Result { try Self.placed(path, body) }

    private static func placed<Result>(
        _ path: String,
        _ body: () throws(CredentialStoreError.Problem) -> Result
    ) throws(CredentialStoreError) -> Result {
        do throws(CredentialStoreError.Problem) {
            return try body()
        } catch {
            throw CredentialStoreError(place: path, problem: error)
        }
    }
}
