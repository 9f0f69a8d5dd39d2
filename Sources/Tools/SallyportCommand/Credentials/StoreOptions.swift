internal import ArgumentParser
internal import CredentialStores
internal import OfflineVerbs
internal import WireFormat

/// Which sealed store a command uses, and what opens it.
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

    func validate() throws {
        guard keyFile == nil || systemdCredential == nil else {
            throw ValidationError("One key opens the store: give --key-file or --systemd-credential.")
        }
    }

    /// Whether an argument names a store or what opens it.
    var isNamed: Bool { file != nil || keyFile != nil || systemdCredential != nil }

    /// The path of the store.
    func path() throws(StoreProblem) -> String {
        if let file { return file }
        guard let path = StorePlace.standard else { throw .noHome }
        return path
    }

    /// Opens the store; asks for its passphrase if the options name no other key. Blocks the calling thread.
    ///
    /// - Throws: an error whose description is one line: the place, the problem and the remedy.
    func open() throws -> SealedFileStore {
        let path = try path()
        let key = givenKey
        return try Blocking.run { try await Self.open(path, key) }
    }

    /// Opens the store at a path; asks for its passphrase if there is no other key.
    static func open(_ path: String, _ givenKey: StoreKey?) async throws -> SealedFileStore {
        // Before the question, because an answer to it would be useless.
        guard FileReading.isTaken(path) else { throw StoreProblem.missing(path) }
        let key: StoreKey
        if let givenKey {
            key = givenKey
        } else {
            key = .passphrase(try await TypedSecret.typed("Passphrase of \(path.inOneLine): "))
        }
        do throws(CredentialStoreError) {
            return try await SealedFileStore.open(at: path, key: key)
        } catch {
            switch (error.problem, givenKey) {
            case (.missing, .keyFile(let file)?), (.noKeySlot, .keyFile(let file)?):
                throw StoreProblem.otherKey("--key-file", file, store: path)
            case (.noKeySlot, .systemdCredential(let name)?):
                throw StoreProblem.otherKey("--systemd-credential", name, store: path)
            default: throw error
            }
        }
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
        case .noFolder(let path, let code):
            "\(path.inOneLine): its folder cannot be made (\(SystemReason.text(code))): choose another with --store"
        }
    }
}
