internal import CSecretService
internal import Secrets
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A connection to the keyring for one operation of a store, on a thread that may wait.
///
/// The connection is made anew each time, because a service that was started again does not know the sessions of the old one.
@safe
final class KeyringConnection: KeyringAccess {
    private let library: SecretLibrary
    private let cancel: KeyringCancel
    private let mayUnlock: Bool
    private var keyring = unsafe sallyport_secret_keyring()

    init(_ library: SecretLibrary, mayUnlock: Bool, cancel: KeyringCancel) throws(CredentialStoreError.Problem) {
        (self.library, self.mayUnlock, self.cancel) = (library, mayUnlock, cancel)
        var text: UnsafeMutablePointer<CChar>?
        let outcome = unsafe sallyport_secret_open(library.table, mayUnlock ? 1 : 0, cancel.object, &keyring, &text)
        let reason = unsafe Self.reason(text)
        if outcome == sallyport_secret_failed { throw .keyring(.noService(reason: reason)) }
        try Self.check(outcome, "unlock the keyring", reason)
    }

    deinit { unsafe sallyport_secret_close(library.table, &keyring) }

    /// The number of items with these attributes.
    func count(_ pairs: [KeyringPair]) throws(CredentialStoreError.Problem) -> Int {
        var (count, text) = unsafe (0, UnsafeMutablePointer<CChar>?.none)
        let outcome = unsafe KeyringPair.withPairs(pairs) {
            unsafe sallyport_secret_count(
                library.table,
                keyring.service,
                $0,
                pairs.count,
                cancel.object,
                &count,
                &text
            )
        }
        try Self.check(outcome, "search the keyring", unsafe Self.reason(text))
        return count
    }

    /// The records of the items with these attributes, of all collections.
    func records(_ pairs: [KeyringPair]) throws(CredentialStoreError.Problem) -> [StoredCredential] {
        try search(pairs, withSecrets: true) { (items) throws(CredentialStoreError.Problem) in
            var records = KeyringRecords()
            for index in 0..<items.count {
                let written = items.written(at: index)
                let name = KeyringAttributes.name { items.attribute($0, at: index) }
                let record = name.flatMap { name in
                    items.withSecret(at: index) { KeyringValue.decode($0, of: name, written: written) }
                }
                try records.add(record, written: written)
            }
            return records.all
        }
    }

    /// Finds the items with these attributes in all collections.
    ///
    /// - Parameter withSecrets: whether `body` gets their secrets.
    private func search<Result>(
        _ pairs: [KeyringPair],
        withSecrets: Bool,
        _ body: (KeyringItems) throws(CredentialStoreError.Problem) -> Result
    ) throws(CredentialStoreError.Problem) -> Result {
        var found = unsafe sallyport_secret_items()
        var text: UnsafeMutablePointer<CChar>?
        let outcome = unsafe KeyringPair.withPairs(pairs) {
            unsafe sallyport_secret_search(
                library.table,
                keyring.service,
                $0,
                pairs.count,
                withSecrets ? 1 : 0,
                mayUnlock ? 1 : 0,
                cancel.object,
                &found,
                &text
            )
        }
        defer { unsafe sallyport_secret_release(library.table, &found) }
        try Self.check(outcome, "search the keyring", unsafe Self.reason(text))
        return try body(unsafe KeyringItems(library, found))
    }

    /// Keeps a secret in the default collection, and replaces the item there that has these attributes.
    func save(_ secret: SharedSecret, _ pairs: [KeyringPair], label: String) throws(CredentialStoreError.Problem) {
        guard unsafe keyring.collection != nil else { throw .keyring(.noDefaultKeyring) }
        var text: UnsafeMutablePointer<CChar>?
        let outcome = unsafe KeyringPair.withPairs(pairs) { start in
            unsafe label.withCString { label in
                secret.withBytes { bytes in
                    unsafe bytes.withUnsafeBytes { bytes in
                        unsafe sallyport_secret_save(
                            library.table,
                            keyring.collection,
                            start,
                            pairs.count,
                            label,
                            bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                            bytes.count,
                            cancel.object,
                            &text
                        )
                    }
                }
            }
        }
        try Self.check(outcome, "keep a secret", unsafe Self.reason(text))
    }

    /// Removes the items with these attributes; returns their number.
    func remove(_ pairs: [KeyringPair]) throws(CredentialStoreError.Problem) -> Int {
        try search(pairs, withSecrets: false) { (items) throws(CredentialStoreError.Problem) in
            for index in 0..<items.count {
                var text: UnsafeMutablePointer<CChar>?
                let outcome = unsafe sallyport_secret_remove(
                    library.table,
                    items.object(at: index),
                    cancel.object,
                    &text
                )
                try Self.check(outcome, "remove an item", unsafe Self.reason(text))
            }
            return items.count
        }
    }

    private static func check(
        _ outcome: sallyport_secret_outcome,
        _ operation: String,
        _ reason: String
    ) throws(CredentialStoreError.Problem) {
        switch outcome {
        case sallyport_secret_done: return
        case sallyport_secret_locked: throw .keyring(.locked)
        case sallyport_secret_dismissed: throw .keyring(.dismissed)
        default: throw .keyring(.refused(operation: operation, reason: reason))
        }
    }

    /// The library's text in one line; frees it.
    @unsafe
    private static func reason(_ text: UnsafeMutablePointer<CChar>?) -> String {
        defer { unsafe free(text) }
        return unsafe text.map { unsafe LibraryText.line(String(cString: $0)) } ?? "unknown reason"
    }
}

/// The items that a search has found; valid inside the closure that gets them.
@safe
struct KeyringItems {
    private let library: SecretLibrary
    private let found: sallyport_secret_items

    @unsafe
    init(_ library: SecretLibrary, _ found: sallyport_secret_items) {
        self.library = library
        unsafe self.found = found
    }

    var count: Int { unsafe found.count }

    @unsafe
    private func item(at index: Int) -> sallyport_secret_item {
        precondition(index >= 0 && index < count, "an item that was found")
        // In bounds: the line above.
        return unsafe found.items[index]
    }

    @unsafe
    func object(at index: Int) -> sallyport_secret_object? { unsafe item(at: index).object }

    /// When the item was written, in seconds since 1970.
    func written(at index: Int) -> Int64 { unsafe Int64(clamping: item(at: index).modified) }

    /// The text of an attribute; `nil` if the item does not have it or it is not UTF-8.
    func attribute(_ name: String, at index: Int) -> String? {
        let attributes = unsafe item(at: index).attributes
        let text = unsafe name.withCString { unsafe library.table.pointee.look_up_attribute(attributes, $0) }
        return unsafe text.flatMap { unsafe String(validatingCString: $0) }
    }

    /// Calls `body` with the secret; it is empty if secrets were not asked for.
    func withSecret<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        let item = unsafe item(at: index)
        // The library keeps `count` bytes there until the search is released.
        let count = unsafe item.value == nil ? 0 : item.count
        let bytes = unsafe UnsafeRawBufferPointer(start: item.bytes, count: count)
        let typed = unsafe bytes.bindMemory(to: UInt8.self)
        return unsafe body(typed.span)
    }
}
