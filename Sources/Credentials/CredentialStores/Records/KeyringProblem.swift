internal import WireFormat

/// Why the keyring of the desktop did not do what was asked.
public enum KeyringProblem: Error, Equatable, Sendable {
    /// The library for the Secret Service cannot be loaded; `reason` is the loader's text.
    case noLibrary(reason: String)
    /// The library is too old: it lacks a function.
    case noFunction(String)
    /// No service answers on the session's bus; `reason` is the library's text.
    case noService(reason: String)
    /// The service has no default keyring, where new secrets go.
    case noDefaultKeyring
    /// A dialog would have to ask for the keyring's password, and none may.
    case locked
    /// A person has closed the dialog that asked.
    case dismissed
    /// The service did not answer within the limit.
    case timedOut(milliseconds: Int64)
    /// Too many calls wait for the keyring.
    case busy
    /// The task was cancelled.
    case cancelled
    /// An item has the schema of Sallyport, and not its attributes or its form.
    case foreignItem
    /// The service refused an operation; `reason` is the library's text.
    case refused(operation: String, reason: String)
}

extension KeyringProblem: CustomStringConvertible {
    /// The problem and the remedy, without the place.
    public var description: String {
        switch self {
        case .noLibrary(let reason):
            "libsecret cannot be loaded (\(reason)): install the package libsecret-1-0 (Debian, Ubuntu) or libsecret (Fedora, Arch)"
        case .noFunction(let name):
            "libsecret lacks the function \(name): install libsecret 0.19 or newer"
        case .noService(let reason):
            "no Secret Service answers (\(reason)): log in to a desktop, or install gnome-keyring and start the program under dbus-run-session"
        case .noDefaultKeyring:
            "there is no default keyring for new secrets: make one with seahorse, or log in to the desktop with a password"
        case .locked: "the keyring is locked: unlock it, or allow the dialog that asks for its password"
        case .dismissed: "the dialog of the keyring was closed: try again, and give its password"
        case .timedOut(let milliseconds):
            "the keyring has not answered within \(milliseconds) ms: look for a dialog, or start its service again"
        case .busy: "too many calls wait for the keyring: ask less at once"
        case .cancelled: "the task was cancelled: ask anew"
        case .foreignItem:
            "an item of the schema \(Self.schema) has another form: update Sallyport, or remove the item with secret-tool, seahorse or Keychain Access"
        case .refused(let operation, let reason): "cannot \(operation) (\(reason)): try again, or unlock the keyring"
        }
    }

    /// Which items of the keyring are ours: the value of the attribute `xdg:schema`.
    static let schema = "org.sallyport.Credential"
}
