internal import CredentialStores
internal import Foundation
internal import OfflineVerbs
internal import WireFormat

extension StoreOptions {
    /// Opens the store, or makes it with its folder if it does not exist. Blocks the calling thread.
    ///
    /// A new store gets the key that the options name: a key file that does not exist is made, a passphrase is asked twice. The folder of a
    /// group's store must exist, because it belongs to the group. A keyring is never made.
    ///
    /// - Parameters:
    ///   - isOptional: whether `--no-store` leaves it out.
    ///   - beforeMaking: runs once the key is known, before anything is written; what it throws leaves nothing behind.
    /// - Returns: the store, and what was made, for the person to read.
    func openOrMake(
        isOptional: Bool = false,
        beforeMaking: () throws -> Void
    ) throws -> (store: any CredentialStore, made: [String]) {
        let isThere = try keyring || FileReading.isTaken(path())
        guard !isThere else {
            let store = try open(isOptional: isOptional)
            try beforeMaking()
            return (store, [])
        }
        let (path, group) = (try path(), try sharedWith())
        if let group { try SealedFileStore.check(path, sharedWith: group) }
        let key =
            try givenKey
            ?? .passphrase(
                try TypedSecret.readTwice(
                    "new passphrase of the store \(path.inOneLine)",
                    note: Self.note(isOptional),
                    else: "make it with --key-file\(isOptional ? ", or leave it out with --no-store" : "")"
                )
            )
        try beforeMaking()
        var made: [String] = []
        if try Self.makeKeyFile(of: key, group) { made.append("the key file \(key.path.inOneLine)") }
        let code = group == nil ? StorePlace.makeFolder(ofStoreAt: path) : 0
        guard code == 0 else { throw StoreProblem.noFolder(path, code: code) }
        let now = SystemClock.unixSeconds
        let store = try Blocking.run {
            do throws(CredentialStoreError) {
                return (try await SealedFileStore.create(at: path, key: key, now: now, sharedWith: group), true)
            } catch {
                // Another process has made it meanwhile.
                guard error.problem == .exists else { throw error }
                return (try await SealedFileStore.open(at: path, key: key, sharedWith: group), false)
            }
        }
        if store.1 { made.append("the store \(path.inOneLine)") }
        return (store.0, made)
    }

    /// Makes the file of a key if the key is one and the file does not exist; returns whether it did.
    static func makeKeyFile(of key: StoreKey, _ group: StoreGroup?) throws -> Bool {
        guard case .keyFile(let path) = key, !FileReading.isTaken(path) else { return false }
        let code = group == nil ? StorePlace.makeFolder(ofStoreAt: path) : 0
        guard code == 0 else { throw StoreProblem.noFolder(path, code: code) }
        try StoreKey.makeKeyFile(at: path, sharedWith: group)
        return true
    }
}

extension StoreKey {
    /// The path of a key file; empty for other keys.
    var path: String {
        guard case .keyFile(let path) = self else { return "" }
        return path
    }
}
