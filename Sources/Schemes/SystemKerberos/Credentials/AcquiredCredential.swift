internal import CGSSAPI
internal import Secrets

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A credential that the library made, before ``KerberosCredential`` owns it; released if that does not happen.
@safe
struct AcquiredCredential: ~Copyable {
    let library: KerberosLibrary
    private let subject: String
    private var handle: sallyport_gss_credential?

    init(owning handle: sallyport_gss_credential?, _ subject: String, _ library: KerberosLibrary) {
        self.library = library
        self.subject = subject
        unsafe self.handle = handle
    }

    /// Hands the credential over.
    mutating func take() -> sallyport_gss_credential? {
        let taken = unsafe handle
        unsafe handle = nil
        return unsafe taken
    }

    /// Whose a client's credential is, and until when.
    ///
    /// A server's may be asked neither: Heimdal 7.8 ends the process if it has no name.
    borrowing func inquire() throws(KerberosError) -> (principal: String?, expiry: ContinuousClock.Instant?) {
        var (minor, lifetime, name) = unsafe (UInt32(0), UInt32(0), sallyport_gss_name?.none)
        let major = unsafe library.functions.inquire_credential(&minor, handle, &name, &lifetime, nil, nil)
        let status = Status(major: major, minor: minor)
        guard status.isSuccess else { throw library.error(.acquireCredential, status, about: subject) }
        let owner = unsafe name == nil ? nil : ImportedName(owning: name, library)
        guard lifetime > 0 else { throw KerberosError(.acquireCredential, .ticketExpired, about: subject) }
        // The greatest number means: no end (RFC 2744, 3.1).
        let expiry = lifetime == UInt32.max ? nil : ContinuousClock.now.advanced(by: .seconds(lifetime))
        return (try owner?.text(.acquireCredential), expiry)
    }

    deinit {
        guard unsafe handle != nil else { return }
        var (minor, handle) = unsafe (UInt32(0), handle)
        _ = unsafe library.functions.release_credential(&minor, &handle)
    }
}

extension KerberosLibrary {
    /// Gets a credential from a cache or keytab; `store` says which, the default one if it is empty.
    func acquire(
        _ use: KerberosCredential.Use,
        _ principal: String?,
        _ store: [(key: String, value: String)],
        _ subject: String
    ) throws(KerberosError) -> AcquiredCredential {
        guard store.isEmpty || takesNamedStores else {
            let remedy =
                "the library takes only the default cache and keytab: set KRB5CCNAME or KRB5_KTNAME before the start"
            throw KerberosError(.acquireCredential, .unsupported, about: subject, detail: remedy)
        }
        let name = try principal.map { (text) throws(KerberosError) in try ImportedName(principal: text, self) }
        var (minor, handle) = unsafe (UInt32(0), sallyport_gss_credential?.none)
        let usage: CInt = use == .initiate ? 1 : 2
        let major = unsafe withName(name) { name in
            guard !store.isEmpty else {
                return unsafe functions.acquire_credential(
                    &minor,
                    name,
                    .max,
                    sallyport_gss_only_kerberos(),
                    usage,
                    &handle,
                    nil,
                    nil
                )
            }
            return unsafe withStore(store) { store in
                unsafe functions.acquire_from(
                    &minor,
                    name,
                    .max,
                    sallyport_gss_only_kerberos(),
                    usage,
                    store,
                    &handle,
                    nil,
                    nil
                )
            }
        }
        let status = Status(major: major, minor: minor)
        guard status.isSuccess else {
            let operation: KerberosError.Operation = use == .initiate ? .acquireCredential : .accept
            let error = error(operation, status, about: subject)
            // Without a key for the account MIT's library looks for tickets, and reports that there are none.
            guard error.reason == .noTicket, store.contains(where: { $0.key == "client_keytab" }) else { throw error }
            throw KerberosError(
                operation,
                .keytab,
                about: subject,
                major: error.major,
                minor: error.minor,
                detail: "no key of the account"
            )
        }
        return unsafe AcquiredCredential(owning: handle, subject, self)
    }

    /// Gets a client's credential with a password.
    func acquire(_ principal: String, _ password: SharedSecret) throws(KerberosError) -> AcquiredCredential {
        guard takesPasswords else {
            throw KerberosError(.acquireCredential, .unsupported, about: principal, detail: "no log-on with passwords")
        }
        let name = try ImportedName(principal: principal, self)
        // The library reads up to a zero: a password with one would be another password.
        let isAllowed = password.withBytes { bytes in
            !bytes.isEmpty && bytes.count <= KerberosLimits.passwordBytes && bytes.indices.allSatisfy { bytes[$0] != 0 }
        }
        guard isAllowed else {
            throw KerberosError(
                .acquireCredential,
                .wrongPassword,
                about: principal,
                detail: "it is empty, longer than \(KerberosLimits.passwordBytes) bytes, or holds a zero"
            )
        }
        var (minor, handle) = unsafe (UInt32(0), sallyport_gss_credential?.none)
        let major = unsafe withName(name) { name in
            password.withBytes { bytes in
                unsafe withLibraryBuffer(bytes) { buffer in
                    unsafe functions.acquire_with_password(
                        &minor,
                        name,
                        buffer,
                        .max,
                        sallyport_gss_only_kerberos(),
                        1,
                        &handle,
                        nil,
                        nil
                    )
                }
            }
        }
        let status = Status(major: major, minor: minor)
        guard status.isSuccess else { throw error(.acquireCredential, status, about: principal) }
        return unsafe AcquiredCredential(owning: handle, principal, self)
    }

    private func withName<Result>(_ name: ImportedName?, _ body: (sallyport_gss_name?) -> Result) -> Result {
        guard let name else { return body(nil) }
        return unsafe name.withHandle { unsafe body($0) }
    }

    /// Calls `body` with the settings of a credential store.
    private func withStore<Result>(
        _ entries: [(key: String, value: String)],
        _ body: (UnsafePointer<sallyport_gss_store>) -> Result
    ) -> Result {
        let texts = unsafe entries.map { entry in unsafe (strdup(entry.key), strdup(entry.value)) }
        defer {
            unsafe texts.forEach { key, value in
                unsafe free(key)
                unsafe free(value)
            }
        }
        var elements = unsafe texts.map { unsafe sallyport_gss_store_entry(key: $0, value: $1) }
        return unsafe elements.withUnsafeMutableBufferPointer { elements in
            var store = unsafe sallyport_gss_store(count: UInt32(elements.count), elements: elements.baseAddress)
            return unsafe body(&store)
        }
    }
}
