internal import CSecretService
internal import WireFormat

/// libsecret, loaded while the program runs. It is never unloaded, because GLib keeps threads and types.
///
/// Sendable without a check, because the table never changes, and any thread may call the library.
@safe
final class SecretLibrary: @unchecked Sendable {
    /// The name under which every distribution has it; the number is that of its binary interface.
    static let usualName = "libsecret-1.so.0"

    /// The functions of the library; valid as long as this object.
    let table: UnsafePointer<sallyport_secret>

    /// - Parameter name: as the system's loader takes it: a file's path, or a name that is searched in the usual folders.
    /// - Complexity: the first call opens files.
    init(_ name: String) throws(KeyringProblem) {
        let table = UnsafeMutablePointer<sallyport_secret>.allocate(capacity: 1)
        unsafe table.initialize(to: sallyport_secret())
        unsafe self.table = UnsafePointer(table)
        var text: UnsafePointer<CChar>?
        let loading = unsafe name.withCString { unsafe sallyport_secret_load($0, table, &text) }
        // The text is copied before the next call of the loader.
        let reason = unsafe text.map { unsafe String(cString: $0) } ?? ""
        if loading == sallyport_secret_no_library { throw .noLibrary(reason: LibraryText.line(reason)) }
        guard loading == sallyport_secret_loaded else { throw .noFunction(reason) }
    }

    deinit { unsafe table.deallocate() }
}

/// Ends a call of the keyring from another thread.
///
/// Sendable without a check, because GIO lets any thread call what the pointer refers to.
@safe
final class KeyringCancel: @unchecked Sendable {
    private let library: SecretLibrary
    /// A GCancellable.
    let object: sallyport_secret_object?

    init(_ library: SecretLibrary) {
        self.library = library
        unsafe object = library.table.pointee.make_cancel()
    }

    deinit { unsafe library.table.pointee.release_object(object) }

    func cancel() { unsafe library.table.pointee.cancel(object) }
}
