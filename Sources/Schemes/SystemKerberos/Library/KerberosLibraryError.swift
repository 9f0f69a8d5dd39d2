/// Why the system's Kerberos cannot be used.
public enum KerberosLibraryError: Error, Equatable, Sendable {
    /// None of the libraries can be opened; `reason` is the loader's text for the last one.
    case missing(paths: [String], reason: String)
    /// The library is not a GSS-API library as this package needs it.
    case incomplete(path: String, function: String)
}

extension KerberosLibraryError: CustomStringConvertible {
    /// One line: what is missing, why, and what to install.
    public var description: String {
        switch self {
        case .missing(let paths, let reason):
            "\(paths.map(KerberosText.shown).joined(separator: ", ")): Kerberos is not installed"
                + " (\(KerberosText.shown(reason))); \(Self.remedy)"
        case .incomplete(let path, let function):
            "\(KerberosText.shown(path)): the library lacks the function \(function); \(Self.remedy)"
        }
    }

    private static let remedy =
        "install MIT Kerberos: libgssapi-krb5-2 on Debian and Ubuntu, krb5-libs on Fedora and Red Hat, krb5 on Alpine and Arch"
}
