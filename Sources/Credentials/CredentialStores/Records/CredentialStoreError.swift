/// Why a store did not do what was asked: the place, the problem and the remedy. It holds no secret and no name of an account.
public struct CredentialStoreError: Error, Equatable, Sendable {
    /// The path of the store or of its key; ``memory`` for a store in memory, ``keyring`` for the keyring.
    public let place: String
    /// What is wrong.
    public let problem: Problem

    /// Makes an error.
    public init(place: String, problem: Problem) {
        self.place = place
        self.problem = problem
    }

    /// The place of errors of a store in memory.
    public static let memory = "store in memory"

    /// The place of errors of the desktop's keyring.
    public static let keyring = "keyring"

    /// A part of a credential that has a bound.
    public enum Field: String, Hashable, Sendable {
        /// The user name.
        case user
        /// The domain.
        case domain
        /// The realm.
        case realm
        /// The path.
        case path
        /// The secret.
        case secret
        /// The passphrase of a sealed file.
        case passphrase
    }

    /// A part of a sealed file.
    public enum Part: String, Hashable, Sendable {
        /// The counts at its start.
        case header
        /// The wrapped copies of the data key.
        case keySlots = "key slots"
        /// The list of sealed records.
        case records
        /// The code over the whole file.
        case seal
    }

    /// What is wrong.
    public enum Problem: Error, Equatable, Sendable {
        /// No file is at the path.
        case missing
        /// A file is at the path already, and a new store would replace it.
        case exists
        /// The file does not begin as a sealed file does.
        case notASealedFile
        /// A newer version of Sallyport wrote the file or a record of it.
        case newerVersion(found: Int, known: Int)
        /// The file ends too early.
        case truncated(bytes: Int, needed: Int)
        /// A part of the file has other bytes than were written.
        case damaged(Part)
        /// The file is larger than ``CredentialLimits/fileBytes``.
        case tooLarge(bytes: Int)
        /// No key slot opens with the key.
        case wrongKey
        /// The file has no key slot of the key's kind.
        case noKeySlot(KeySlotKind)
        /// The group or others may use the file; `mode` is its permissions.
        case othersMayUse(mode: UInt16)
        /// The file belongs to root, and its group may write it, or others may use it; `mode` is its permissions.
        case othersMayUseRoots(mode: UInt16)
        /// The file belongs to another user.
        case notOwned
        /// Another process has held the lock for longer than the limit.
        case lockedTooLong(milliseconds: Int)
        /// The disk or the quota is full. The store is unchanged.
        case diskFull
        /// The folder or file system is read-only. The store is unchanged.
        case readOnly
        /// The file is an older write than this process has seen, or another write with the same number.
        case rolledBack(seen: UInt64, found: UInt64)
        /// The file is another store than the one that was opened.
        case replaced
        /// The data key was renewed after this process opened the store, or the file is damaged.
        case keyRenewed
        /// The store has ``CredentialLimits/records`` records.
        case tooManyRecords
        /// The store has ``CredentialLimits/recordsPerHost`` records for the host.
        case tooManyRecordsForHost
        /// More than ``CredentialLimits/keySlots`` keys.
        case tooManyKeySlots
        /// The change would leave no key slot.
        case lastKeySlot
        /// The file has no key slot with the number.
        case noSuchKeySlot(UInt32)
        /// A text or secret is too long.
        case tooLong(Field, bytes: Int, limit: Int)
        /// The name of a kind has another form than ``CredentialKind/rawValue`` asks.
        case malformedKind
        /// The secret has no bytes.
        case emptySecret
        /// The passphrase has no bytes.
        case emptyPassphrase
        /// A key file has another length than ``CredentialLimits/keyFileBytes``.
        case keyLength(bytes: Int)
        /// A systemd credential is named by a path, and not by a file name.
        case malformedCredentialName
        /// systemd has given this process no credentials.
        case noCredentialsDirectory
        /// The memory for scrypt is not available.
        case noMemoryForPassphrase
        /// A group shares the store, and its file, its folder or its key is not the group's alone.
        case group(GroupProblem)
        /// The keyring of the desktop did not do what was asked.
        case keyring(KeyringProblem)
        /// The system refused an operation; `code` is its error number.
        case system(operation: String, code: Int32)
        /// A store of another kind is not available; the text must hold no secret.
        case unavailable(reason: String)
    }
}
