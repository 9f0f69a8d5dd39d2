internal import Credentials
internal import WireFormat

extension CredentialStoreError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String { "\(place): \(problem)" }
}

extension CredentialStoreError.Problem: CustomStringConvertible {
    /// The problem and the remedy, without the place.
    public var description: String {
        switch self {
        case .missing: "the file does not exist: check the path, or create the store"
        case .exists: "a file is there already: open it, or choose another path"
        case .notASealedFile: "the file is not a sealed credential store: check the path"
        case .newerVersion(let found, let known):
            "the file has version \(found), and this program reads up to \(known): update Sallyport"
        case .truncated(let bytes, let needed):
            "the file has \(bytes) of \(needed) bytes: restore it from a backup"
        case .damaged(let part): "the \(part.rawValue) are damaged: restore the file from a backup"
        case .tooLarge(let bytes):
            "the file would have \(bytes) bytes, of at most \(CredentialLimits.fileBytes): check the path, or remove records"
        case .wrongKey:
            "no key slot opens with this key or passphrase: give the right one, or restore the file if it is right"
        case .noKeySlot(let kind): "the file has no key slot for a \(kind): use another kind of key"
        case .othersMayUse(let mode): "\(PrivateFileProblem.othersMayUse(mode: mode)), and renew what it holds"
        case .othersMayUseRoots(let mode): "\(PrivateFileProblem.othersMayUseRoots(mode: mode))"
        case .notOwned: "\(PrivateFileProblem.notOwned)"
        case .lockedTooLong(let milliseconds):
            "another process has held the lock for \(milliseconds) ms: end that process, or try again"
        case .diskFull: "the disk or quota is full, and the store is unchanged: free some space"
        case .readOnly: "the folder is read-only, and the store is unchanged: make it writable, or move the store"
        case .rolledBack(let seen, let found):
            "the file (write \(found)) is an older or another copy of what was read before (write \(seen)): restore that"
        case .replaced: "the file is another store than the one that was opened: open it again"
        case .keyRenewed: "the data key was renewed, or the file is damaged: open the store again"
        case .tooManyRecords: "the store has \(CredentialLimits.records) records: remove some"
        case .tooManyRecordsForHost:
            "the store has \(CredentialLimits.recordsPerHost) records for this host: remove some"
        case .tooManyKeySlots: "a store has at most \(CredentialLimits.keySlots) keys: remove one first"
        case .lastKeySlot: "the last key cannot be removed: add another key first"
        case .noSuchKeySlot(let number): "key slot \(number) does not exist: list the key slots"
        case .tooLong(let field, let bytes, let limit):
            "the \(field.rawValue) has \(bytes) bytes, of at most \(limit): shorten it"
        case .malformedKind:
            "the kind is malformed: use 1 to \(CredentialLimits.kindBytes) of a-z, 0-9 and '-'"
        case .emptySecret: "the secret is empty: give one"
        case .emptyPassphrase: "the passphrase is empty: give one"
        case .keyLength(let bytes):
            "the key has \(bytes) bytes instead of \(CredentialLimits.keyFileBytes): check the path, or make a new key file"
        case .malformedCredentialName: "a systemd credential is named by its file name: give a name without '/'"
        case .noCredentialsDirectory:
            "CREDENTIALS_DIRECTORY is not set: start the program as a systemd service with LoadCredential="
        case .noMemoryForPassphrase: "the passphrase needs 128 MiB of memory: free some, or use a key file"
        case .group(let problem): "\(problem)"
        case .keyring(let problem): "\(problem)"
        case .system(let operation, let code): "cannot \(operation) (\(SystemReason.text(code))): check path and mode"
        case .unavailable(let reason): reason
        }
    }
}
