internal import CredentialStores
internal import Foundation
internal import OfflineVerbs
internal import WireFormat

extension StoreOptions {
    /// Opens the store, or makes it with its folder if it does not exist. Blocks the calling thread.
    ///
    /// A new store gets the key that the options name: a key file that does not exist is made, a passphrase is asked twice.
    ///
    /// - Parameter beforeMaking: runs once the key is known, before anything is written; what it throws leaves nothing behind.
    /// - Returns: the store, and what was made, for the person to read.
    func openOrMake(beforeMaking: () throws -> Void) throws -> (store: SealedFileStore, made: [String]) {
        let path = try path()
        guard !FileReading.isTaken(path) else {
            let store = try open()
            try beforeMaking()
            return (store, [])
        }
        let key = try givenKey ?? .passphrase(try TypedSecret.readTwice("New passphrase of \(path.inOneLine)"))
        try beforeMaking()
        var made: [String] = []
        if try Self.makeKeyFile(of: key) { made.append("the key file \(key.path.inOneLine)") }
        let code = StorePlace.makeFolder(ofStoreAt: path)
        guard code == 0 else { throw StoreProblem.noFolder(path, code: code) }
        let now = SystemClock.unixSeconds
        let store = try Blocking.run {
            do throws(CredentialStoreError) {
                return (try await SealedFileStore.create(at: path, key: key, now: now), true)
            } catch {
                // Another process has made it meanwhile.
                guard error.problem == .exists else { throw error }
                return (try await SealedFileStore.open(at: path, key: key), false)
            }
        }
        if store.1 { made.append("the store \(path.inOneLine)") }
        return (store.0, made)
    }

    /// Makes the file of a key if the key is one and the file does not exist; returns whether it did.
    static func makeKeyFile(of key: StoreKey) throws -> Bool {
        guard case .keyFile(let path) = key, !FileReading.isTaken(path) else { return false }
        let code = StorePlace.makeFolder(ofStoreAt: path)
        guard code == 0 else { throw StoreProblem.noFolder(path, code: code) }
        try StoreKey.makeKeyFile(at: path)
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
