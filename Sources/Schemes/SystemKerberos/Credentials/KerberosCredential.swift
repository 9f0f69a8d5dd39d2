internal import CGSSAPI

/// A credential of a client or of a server, which is released with its last owner.
///
/// Getting it may wait for a KDC, so do it off an event loop: with ``KerberosWorker``, or inside ``KerberosExchange``.
@safe
public final class KerberosCredential: Sendable {
    /// What it may be used for.
    public enum Use: Equatable, Sendable {
        /// Log on to services.
        case initiate
        /// Check the log-ons of clients.
        case accept
    }

    /// What it may be used for.
    public let use: Use
    /// Whose it is, such as `user@REALM`; of a server what was asked for, `nil` for any entry of its keytab.
    public let principal: String?
    /// When the ticket expires; `nil` for a server, and if the library names no end.
    public let expiry: ContinuousClock.Instant?
    let library: KerberosLibrary
    // Safe to send: never written after init, and the library locks what it changes inside.
    private nonisolated(unsafe) let handle: sallyport_gss_credential?
    /// A cache in memory that belongs to this credential.
    private let ownCache: MemoryCache?

    private init(_ acquired: consuming AcquiredCredential, clientWith ownCache: MemoryCache?) throws(KerberosError) {
        use = .initiate
        self.ownCache = ownCache
        library = acquired.library
        (principal, expiry) = try acquired.inquire()
        unsafe handle = acquired.take()
    }

    private init(_ acquired: consuming AcquiredCredential, serverAs principal: String?) {
        use = .accept
        ownCache = nil
        library = acquired.library
        (self.principal, expiry) = (principal, nil)
        unsafe handle = acquired.take()
    }

    /// Gets a client's credential.
    ///
    /// - Throws: ``KerberosError``. A source that the library cannot use has the reason `unsupported`, and says what can be used.
    public convenience init(
        _ source: KerberosCredentialSource,
        library: KerberosLibrary
    ) throws(KerberosError) {
        switch source {
        case .defaultCache(let principal):
            try self.init(library.acquire(.initiate, principal, [], source.subject), clientWith: nil)
        case .cache(let name, let principal):
            try KerberosNames.check(name, .acquireCredential)
            let store = [("ccache", name)]
            try self.init(library.acquire(.initiate, principal, store, source.subject), clientWith: nil)
        case .keytab(let path, let principal):
            try KerberosNames.check(path, .acquireCredential)
            let cache = MemoryCache(library)
            let store = [("client_keytab", path), ("ccache", cache.name)]
            try self.init(library.acquire(.initiate, principal, store, source.subject), clientWith: cache)
        case .password(let password, let principal):
            try self.init(library.acquire(principal, password), clientWith: nil)
        }
    }

    /// Gets a server's credential: the keys with which it checks log-ons.
    ///
    /// - Parameters:
    ///   - keytab: the file; `nil` for the one that `KRB5_KTNAME` or krb5.conf names.
    ///   - principal: the entry to use, such as `HTTP/wiki.acme.example@ACME.EXAMPLE`; `nil` for any, so that one server answers to
    ///     several names.
    ///   - library: the library of the system.
    public convenience init(
        acceptingWith keytab: String?,
        principal: String? = nil,
        library: KerberosLibrary
    ) throws(KerberosError) {
        if let keytab { try KerberosNames.check(keytab, .acquireCredential) }
        let store = keytab.map { [("keytab", $0)] } ?? []
        let subject = principal ?? keytab ?? "the default keytab"
        try self.init(library.acquire(.accept, principal, store, subject), serverAs: principal)
    }

    /// Whether the ticket is over, or will be within `margin`.
    public func isExpired(within margin: Duration = .zero) -> Bool {
        guard let expiry else { return false }
        return ContinuousClock.now.advanced(by: margin) >= expiry
    }

    /// Calls `body` with the credential, which it must not keep.
    func withHandle<Result>(_ body: (sallyport_gss_credential?) -> Result) -> Result { unsafe body(handle) }

    deinit {
        var (minor, handle) = unsafe (UInt32(0), handle)
        _ = unsafe library.functions.release_credential(&minor, &handle)
        ownCache?.destroy()
    }
}
