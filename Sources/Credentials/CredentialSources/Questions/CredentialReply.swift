public import Secrets

/// What a source says to a ``CredentialQuestion``.
public enum CredentialReply: Sendable {
    /// Use this user name and password.
    case use(SuppliedCredential)
    /// The source has nothing for this question, so the next source is asked.
    case nothing
    /// Go on without a credential: deliver the challenge to the application. No further source is asked.
    case goOnWithout
    /// Cancel the request.
    case cancel
    /// Reject the protection space: ask no more for this realm of this party.
    case rejectSpace
}

/// A user name and a password from a source, and how long to keep them.
public struct SuppliedCredential: Sendable {
    /// How long a credential may be kept.
    public enum Keeping: Hashable, Sendable {
        /// For the answer to this challenge only.
        case once
        /// Until the process ends.
        case session
        /// Until a time in seconds since 1970.
        case until(Int64)
        /// A store may save it.
        case stored
    }

    /// The user name without its domain; a `user@realm` keeps its realm.
    public let user: String
    /// NetBIOS or DNS domain; `nil` for none.
    public let domain: String?
    /// The password in UTF-8.
    public let password: SharedSecret
    /// How long to keep it.
    public let keep: Keeping

    /// Makes a credential from its parts.
    public init(user: String, domain: String? = nil, password: SharedSecret, keep: Keeping = .session) {
        self.user = user
        self.domain = domain
        self.password = password
        self.keep = keep
    }

    /// Makes a credential from one text for user and domain: the domain of `ACME\jdoe` is split off.
    public init(login: String, password: SharedSecret, keep: Keeping = .session) {
        guard let backslash = login.firstIndex(of: "\\") else {
            self.init(user: login, password: password, keep: keep)
            return
        }
        let user = String(login[login.index(after: backslash)...])
        self.init(user: user, domain: String(login[..<backslash]), password: password, keep: keep)
    }

    /// User and domain as one text: `ACME\jdoe`, or the user alone.
    public var login: String { domain.map { "\($0)\\\(user)" } ?? user }
}

extension SuppliedCredential: CustomStringConvertible, CustomReflectable {
    /// The user without the password.
    public var description: String { "<password of \(login)>" }

    /// User, domain and time, without the password.
    public var customMirror: Mirror { Mirror(self, children: ["user": user, "domain": domain as Any, "keep": keep]) }
}
