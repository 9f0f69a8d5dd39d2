/// Why a step with the system's Kerberos failed.
///
/// It holds names and numbers, and never a password or a ticket.
public struct KerberosError: Error, Equatable, Sendable {
    /// What was to be done.
    public enum Operation: String, Sendable {
        case acquireCredential = "get a credential"
        case importName = "read a name"
        case initiate = "log on"
        case accept = "check a log-on"
        case sign = "sign a message"
        case verify = "verify a message"
        case wait = "wait for Kerberos"
    }

    /// What is wrong, as far as the library's numbers tell.
    public enum Reason: String, CaseIterable, Sendable {
        // What the user can mend.
        case noTicket, ticketExpired, wrongPassword, unknownAccount, accountDisabled, passwordExpired
        // What the administrator can mend.
        case kdcUnreachable, unknownRealm, configuration, clockSkew, unknownService, encryptionType, keytab, wrongKey
        case cache, refusedByPolicy
        // What the peer sent.
        case bindingsMismatch, bindingsMissing, replayed, malformedToken, tokenTooLong, tooManySteps, badIntegrity
        case notMutual, refusedByPeer
        // How this package was called.
        case badName, badBinding, unsupported, outOfTurn
        // The bounds of the worker.
        case timedOut, overloaded, stopped
        /// None of the above; ``KerberosError/detail`` has the library's text.
        case other
    }

    /// What was to be done.
    public let operation: Operation
    /// What is wrong.
    public let reason: Reason
    /// Name of an account, service or file, or `nil`; escaped.
    public let subject: String?
    /// GSS-API's major status (RFC 2744, 3.9.1); 0 if the library was not asked.
    public let major: UInt32
    /// The mechanism's minor status; 0 if the library was not asked.
    public let minor: UInt32
    /// The library's text, escaped and of bounded length; empty if the library was not asked.
    public let detail: String

    init(
        _ operation: Operation,
        _ reason: Reason,
        about subject: String? = nil,
        major: UInt32 = 0,
        minor: UInt32 = 0,
        detail: String = ""
    ) {
        self.operation = operation
        self.reason = reason
        self.subject = subject.map(KerberosText.shown)
        self.major = major
        self.minor = minor
        self.detail = KerberosText.shown(detail)
    }
}

/// Foreign text in messages of one line.
enum KerberosText {
    /// The most characters that are shown.
    static let shownCharacters = 200

    /// The beginning of `text` in printable ASCII.
    static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: shownCharacters, limitedBy: scalars.endIndex)
        guard let end, end < scalars.endIndex else { return text.unicodeScalars.map(escaped).joined() }
        return scalars[..<end].map(escaped).joined() + "…"
    }

    /// Quotes stay as they are, because the library's texts quote names.
    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        scalar == "'" || scalar == "\"" || scalar == "…" ? String(scalar) : scalar.escaped(asASCII: true)
    }
}
