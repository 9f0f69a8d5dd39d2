internal import ArgumentParser
internal import CredentialStores
internal import OfflineVerbs
internal import WireFormat

#if canImport(Security)
    private typealias SystemKeyring = KeychainStore
#else
    private typealias SystemKeyring = KeyringStore
#endif

/// Which store a command uses, and what opens it.
struct StoreOptions: ParsableArguments {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp(
            "The sealed store; by default $XDG_DATA_HOME/sallyport/credentials, or ~/.local/share/sallyport/credentials.",
            valueName: "file"
        )
    )
    var file: String?

    @Option(
        name: .customLong("key-file"),
        help: ArgumentHelp(
            "Open the store with this file of 32 random bytes; without it the terminal asks for a passphrase.",
            valueName: "file"
        )
    )
    var keyFile: String?

    @Option(
        name: .customLong("systemd-credential"),
        help: ArgumentHelp(
            "Open the store with this credential of the service, which LoadCredential= names.",
            valueName: "name"
        )
    )
    var systemdCredential: String?

    @Option(
        name: .customLong("group"),
        help: ArgumentHelp(
            "The store of --store is shared by the members of this group: file and folder are theirs, and no other user's.",
            valueName: "name"
        )
    )
    var group: String?

    @Flag(help: "Use the desktop's keyring (Secret Service; on macOS the Keychain) in place of a sealed store.")
    var keyring = false

    @Flag(
        name: .customLong("unlock-keyring"),
        help: "Let a dialog ask for the password of a keyring that is locked; without it that is an error."
    )
    var unlockKeyring = false

    func validate() throws {
        guard !keyring || !namesSealedStore else {
            throw ValidationError(
                "--keyring needs no file and no key: remove it, or --store, --key-file, --systemd-credential and --group."
            )
        }
        guard keyring || !unlockKeyring else {
            throw ValidationError("--unlock-keyring is about the desktop's keyring: give --keyring, too.")
        }
        guard group == nil || file != nil else {
            throw ValidationError(
                "--group needs a store that its members reach: name it with --store, in a folder of the group."
            )
        }
        guard keyFile == nil || systemdCredential == nil else {
            throw ValidationError("One key opens the store: give --key-file or --systemd-credential.")
        }
    }

    private var namesSealedStore: Bool {
        file != nil || keyFile != nil || systemdCredential != nil || group != nil
    }

    /// Whether an argument names a store or what opens it.
    var isNamed: Bool { keyring || namesSealedStore }

    /// Whether a person types what opens the store.
    var needsPassphrase: Bool { !keyring && givenKey == nil }

    /// What the store is called in lists and messages.
    func title() throws(StoreProblem) -> String { keyring ? "the keyring" : "the store \(try path())" }

    /// The path of the store.
    func path() throws(StoreProblem) -> String {
        if let file { return file }
        guard let path = StorePlace.standard else { throw .noHome }
        return path
    }

    /// Opens the store; asks for its passphrase if the options name no other key. Blocks the calling thread.
    ///
    /// - Parameter isOptional: whether `--no-store` leaves it out.
    /// - Throws: an error whose description is one line: the place, the problem and the remedy.
    func open(isOptional: Bool = false) throws -> any CredentialStore {
        let opening = try opening(isOptional: isOptional)
        return try Blocking.run { try await opening() }
    }

    /// Opens a sealed store, for what a keyring does not have.
    func openSealed() throws -> SealedFileStore {
        guard !keyring else { throw StoreProblem.notSealed }
        let (path, key, group) = (try path(), givenKey, try sharedWith())
        return try Blocking.run { try await Self.open(path, key, group) }
    }

    /// Opens the store when it is needed.
    ///
    /// - Parameter isOptional: whether `--no-store` leaves it out.
    func opening(isOptional: Bool = false) throws -> @Sendable () async throws -> any CredentialStore {
        if keyring {
            return { [unlockKeyring] in
                do throws(CredentialStoreError) {
                    return try await SystemKeyring.open(mayUnlock: unlockKeyring)
                } catch {
                    throw error.problem == .keyring(.locked) ? StoreProblem.keyringLocked : error
                }
            }
        }
        let (path, key, group) = (try path(), givenKey, try sharedWith())
        return { try await Self.open(path, key, group, isOptional: isOptional) }
    }

    /// The group of the option; `nil` without one.
    func sharedWith() throws(CredentialStoreError) -> StoreGroup? {
        guard let group else { return nil }
        return try StoreGroup(group)
    }

    /// Opens the store at a path; asks for its passphrase if there is no other key.
    private static func open(
        _ path: String,
        _ givenKey: StoreKey?,
        _ group: StoreGroup?,
        isOptional: Bool = false
    ) async throws -> SealedFileStore {
        // Before the question, because an answer to it would be useless.
        guard FileReading.isTaken(path) else { throw StoreProblem.missing(path) }
        let key: StoreKey
        if let givenKey {
            key = givenKey
        } else {
            key = .passphrase(
                try await TypedSecret.typed(
                    "passphrase of the store \(path.inOneLine)",
                    note: Self.note(isOptional),
                    else: "open it with --key-file\(isOptional ? ", or leave it out with --no-store" : "")"
                )
            )
        }
        do throws(CredentialStoreError) {
            return try await SealedFileStore.open(at: path, key: key, sharedWith: group)
        } catch {
            switch (error.problem, givenKey) {
            case (.othersMayUse(let mode), _) where group == nil && error.place == path && mode & 0o007 == 0:
                throw StoreProblem.shared(path, mode: mode)
            case (.missing, .keyFile(let file)?), (.noKeySlot, .keyFile(let file)?):
                throw StoreProblem.otherKey("--key-file", file, store: path)
            case (.noKeySlot, .systemdCredential(let name)?):
                throw StoreProblem.otherKey("--systemd-credential", name, store: path)
            default: throw error
            }
        }
    }

    /// Why a command that needs no store opens one.
    static func note(_ isOptional: Bool) -> String {
        isOptional ? ", which keeps passwords (--no-store leaves it out)" : ""
    }

    /// The key that the options name; `nil` for a passphrase.
    var givenKey: StoreKey? {
        keyFile.map { .keyFile(path: $0) } ?? systemdCredential.map { .systemdCredential(name: $0) }
    }
}

/// Why a store cannot be opened or made.
enum StoreProblem: Error, Equatable {
    case noHome
    case missing(String)
    case noFolder(String, code: Int32)
    /// The command is about the keys of a sealed store.
    case notSealed
    /// A dialog would have to ask for its password.
    case keyringLocked
    /// A group may use the file, and no option names one.
    case shared(String, mode: UInt16)
    /// The store has no slot for the key that the option names.
    case otherKey(_ option: String, String, store: String)
}

extension StoreProblem: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String {
        switch self {
        case .noHome: "environment: HOME and XDG_DATA_HOME are not set: name the store with --store"
        case .missing(let path):
            "\(path.inOneLine): the store does not exist: check the path, or make it with sallyport credentials add or login"
        case .otherKey(let option, let key, let store):
            "\(option) \(key.inOneLine): it is no key of the store \(store.inOneLine), which another key or a passphrase opens: add it with "
                + "sallyport credentials rekey --keep --to-\(option.dropFirst(2)) \(key.inOneLine), or check the path"
        case .notSealed:
            "--keyring: a keyring has no keys of Sallyport's: change its password with the desktop's program"
        case .keyringLocked: "keyring: it is locked: unlock it with the desktop's program, or give --unlock-keyring"
        case .shared(let path, let mode):
            "\(path.inOneLine): its group may use the file (mode \(String(mode, radix: 8))): name the group with --group if it shares the store; "
                + "otherwise run chmod 600 on it, and renew what it holds"
        case .noFolder(let path, let code):
            "\(path.inOneLine): its folder cannot be made (\(SystemReason.text(code))): choose another with --store"
        }
    }
}
