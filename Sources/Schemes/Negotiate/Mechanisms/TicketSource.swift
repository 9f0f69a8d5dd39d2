public import Secrets

/// Where a client's ticket of Kerberos comes from.
public enum TicketSource: Sendable {
    /// The ticket cache of the user who runs the process, which `kinit` fills.
    case cache
    /// The KDC, for the password of the account.
    case password(SharedSecret)
    /// The KDC, for a key of the account in this keytab.
    case keytab(String)
}

extension TicketSource: Equatable {
    /// Whether both are one source; two passwords are one if they are one object.
    public static func == (first: TicketSource, second: TicketSource) -> Bool {
        switch (first, second) {
        case (.cache, .cache): true
        case (.keytab(let first), .keytab(let second)): first == second
        case (.password(let first), .password(let second)): first === second
        default: false
        }
    }
}

/// The KDC refused the password of an account. It counts as a bad log-on.
public struct RefusedPassword: Error, Equatable, Sendable, CustomStringConvertible {
    /// One line, without a secret.
    public let description: String

    /// Reports a refusal with its reason, one line.
    public init(_ description: String) { self.description = description }
}
