internal import CGSSAPI

/// The system's Kerberos, loaded while the program runs.
///
/// The library is never unloaded, because it keeps state for threads. Its functions may be called by several threads at a time.
@safe
public final class KerberosLibrary: Sendable {
    /// Where it was found.
    public let path: String
    let functions: sallyport_gssapi

    private init(path: String, functions: sallyport_gssapi) {
        self.path = path
        self.functions = functions
    }

    /// The libraries that are tried in turn: MIT's, then Heimdal's; on macOS the system's framework.
    public static var usualPaths: [String] {
        #if canImport(Darwin)
            ["/System/Library/Frameworks/GSS.framework/GSS"]
        #else
            ["libgssapi_krb5.so.2", "libgssapi.so.3"]
        #endif
    }

    /// Opens the first of the libraries that can be opened.
    ///
    /// - Parameter paths: names as the system's loader takes them: a file's path, or a name that is searched in the usual folders.
    /// - Complexity: the first call opens files and takes about a millisecond.
    public static func load(_ paths: [String] = usualPaths) throws(KerberosLibraryError) -> KerberosLibrary {
        var last = "no path is given"
        for path in paths {
            var functions = sallyport_gssapi()
            var text: UnsafePointer<CChar>?
            let outcome = unsafe path.withCString { unsafe sallyport_gssapi_load($0, &functions, &text) }
            // The text is copied before the next call of the loader.
            let reason = unsafe text.map { unsafe String(cString: $0) } ?? ""
            if outcome == sallyport_gssapi_loaded { return KerberosLibrary(path: path, functions: functions) }
            if outcome == sallyport_gssapi_no_function {
                throw .incomplete(path: path, function: reason)
            }
            last = reason
        }
        throw .missing(paths: paths, reason: last)
    }

    /// Whether caches and keytabs can be named (`gss_acquire_cred_from`, MIT Kerberos). Without it only the default cache and the
    /// default keytab can be used, and passwords.
    public var takesNamedStores: Bool { unsafe functions.acquire_from != nil }

    /// Whether a credential can be made from a password (`gss_acquire_cred_with_password`).
    public var takesPasswords: Bool { unsafe functions.acquire_with_password != nil }

    /// Whether the realm of a host can be looked up without DNS (`krb5_get_host_realm`).
    public var knowsRealmsOfHosts: Bool { unsafe functions.host_realms != nil }
}
