internal import ArgumentParser
internal import CredentialStores
internal import OfflineVerbs
internal import WireFormat

/// `sallyport credentials rekey`: changes what opens a store.
struct CredentialsRekeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Changes what opens the store.",
        discussion: """
            The new key takes the place of the one that opened the store, in one write; --keep keeps both. Without a new key, \
            --remove only removes slots; the last one stays. A key that was removed still opens older copies of the file, and \
            who has used it may have kept the data key: --renew seals all records anew, for the new key alone. Prints the slots \
            afterwards. Exit status: 0 done, 2 could not run.
            """
    )

    @OptionGroup var store: StoreOptions

    @Flag(name: .customLong("to-passphrase"), help: "The new key is a passphrase, which the terminal asks for twice.")
    var toPassphrase = false

    @Option(
        name: .customLong("to-key-file"),
        help: ArgumentHelp(
            "The new key is this file of 32 random bytes, which is made if it does not exist.",
            valueName: "file"
        )
    )
    var toKeyFile: String?

    @Option(
        name: .customLong("to-systemd-credential"),
        help: ArgumentHelp("The new key is this file of 32 bytes below $CREDENTIALS_DIRECTORY.", valueName: "name")
    )
    var toSystemdCredential: String?

    @Flag(help: "Keep the slot that opened the store.")
    var keep = false

    @Option(help: ArgumentHelp("Remove the slot with this number; may be repeated.", valueName: "slot"))
    var remove: [UInt32] = []

    @Flag(help: "Seal all records under a new data key; no other key opens the store then.")
    var renew = false

    @Flag(help: "One JSON object a line: slot, kind, created.")
    var json = false

    private var newKeyCount: Int {
        (toPassphrase ? 1 : 0) + (toKeyFile == nil ? 0 : 1) + (toSystemdCredential == nil ? 0 : 1)
    }

    func validate() throws {
        guard newKeyCount <= 1 else { throw ValidationError("Give one new key at a time.") }
        guard newKeyCount == 1 || !(keep || renew) else {
            throw ValidationError(
                "--keep and --renew need a new key: add --to-passphrase, --to-key-file or --to-systemd-credential."
            )
        }
        guard newKeyCount == 1 || !remove.isEmpty else {
            throw ValidationError(
                "Name the new key with --to-passphrase, --to-key-file or --to-systemd-credential, or a slot with --remove."
            )
        }
        guard !renew || (remove.isEmpty && !keep) else {
            throw ValidationError("--renew removes all other keys: remove --keep and --remove.")
        }
    }

    func run() throws {
        try CommandExit.run("credentials rekey") {
            let (store, group) = (try store.openSealed(), try store.sharedWith())
            let key = try newKey()
            var made: String?
            if let key, try StoreOptions.makeKeyFile(of: key, group) {
                made = "made the key file \(key.path.inOneLine)\n"
            }
            let (isRenewal, remove, keep, now) = (renew, remove, keep, SystemClock.unixSeconds)
            let slots = try Blocking.run {
                if isRenewal, let key { return try await store.renewDataKey(keys: [key], now: now) }
                var removed = Set(remove)
                if key != nil, !keep { removed.insert(await store.openedSlot) }
                return try await store.rekey(adding: key.map { [$0] } ?? [], removing: removed.sorted(), now: now)
            }
            if let made, !json { try StandardOutput.write(made) }
            try StandardOutput.write(slots.map { json ? SlotRow($0).json.text + "\n" : SlotRow($0).line }.joined())
        }
    }

    private func newKey() throws -> StoreKey? {
        if let toKeyFile { return .keyFile(path: toKeyFile) }
        if let toSystemdCredential { return .systemdCredential(name: toSystemdCredential) }
        return toPassphrase ? .passphrase(try TypedSecret.readTwice("new passphrase", else: "give --to-key-file")) : nil
    }
}

/// What is shown of a key slot.
struct SlotRow {
    private let listing: KeySlotListing

    init(_ listing: KeySlotListing) { self.listing = listing }

    /// One object, without a line ending.
    var json: JSONValue {
        .object([
            ("slot", .integer(UInt64(listing.number))), ("kind", .string("\(listing.kind)")),
            ("created", .string(Timestamp.text(unixSeconds: listing.created))),
        ])
    }

    /// One line with its ending.
    var line: String {
        "slot \(listing.number): \(listing.kind), added \(Timestamp.text(unixSeconds: listing.created))\n"
    }
}
