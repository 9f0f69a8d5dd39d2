public import Secrets

/// A user name with what proves it.
public struct Account: Sendable {
    /// The name of this account in the profile, logs and verdicts. It is not secret.
    public let name: String
    /// The user name without its domain; a `user@realm` keeps its realm.
    public let user: String
    /// NetBIOS or DNS domain; `nil` for an account without a domain, or for a `user@realm`. An empty one, as in `\user`, lets NTLM answer
    /// servers of a domain too.
    public let domain: String?
    /// What the account proves itself with.
    public let credential: Credential
    /// How Basic and Digest write user and domain. NTLM sends them in separate fields.
    public let userForm: UserForm

    /// How one user name expresses a user and its domain.
    public enum UserForm: String, Hashable, Sendable, CaseIterable {
        /// `jdoe`: the server knows the domain.
        case bare
        /// `ACME\jdoe`: the down-level logon name of Windows.
        case backslash
        /// `jdoe@acme.example`: the user principal name of Windows and Kerberos.
        case at
    }

    /// Makes an account with a password.
    ///
    /// - Parameters:
    ///   - name: the name in the profile, logs and verdicts.
    ///   - user: `jdoe`, `ACME\\jdoe` or `jdoe@acme.example`. The domain before a backslash counts as `domain`.
    ///   - domain: NetBIOS or DNS domain; `nil` for an account without a domain.
    ///   - password: in UTF-8.
    ///   - userForm: how Basic and Digest write user and domain; `nil` for ``UserForm/bare``, or for ``UserForm/backslash``
    ///     if `user` is written with a backslash.
    public init(
        name: String,
        user: String,
        domain: String? = nil,
        password: SharedSecret,
        userForm: UserForm? = nil
    ) {
        self.init(name: name, user: user, domain: domain, credential: .password(password), userForm: userForm)
    }

    /// Makes an account with any credential; the other parameters are those of an account with a password.
    public init(
        name: String,
        user: String,
        domain: String? = nil,
        credential: Credential,
        userForm: UserForm? = nil
    ) {
        self.name = name
        self.credential = credential
        // A domain that is given twice stays in both places if they differ: `ProfileError` reports it.
        if let backslash = user.firstIndex(of: "\\"),
            domain == nil || user[..<backslash].lowercased() == domain?.lowercased()
        {
            self.user = String(user[user.index(after: backslash)...])
            self.domain = String(user[..<backslash])
            self.userForm = userForm ?? .backslash
        } else {
            self.user = user
            self.domain = domain
            self.userForm = userForm ?? .bare
        }
    }

    /// The same account with another credential.
    public func replacing(_ credential: Credential) -> Account {
        Account(name: name, user: user, domain: domain, credential: credential, userForm: userForm)
    }

    /// The same account with another password.
    public func replacing(password: SharedSecret) -> Account { replacing(.password(password)) }

    /// Whether a directory of several hosts knows the account: it has a domain or a realm.
    package var isOfDirectory: Bool { domain?.isEmpty == false || user.contains("@") }

    /// The principal of Kerberos, `user@REALM`; `nil` if the account names no realm.
    package var principal: String? { user.contains("@") ? user : nil }

    /// The principal for which a KDC is asked: `user@REALM`, with the DNS domain in capital letters as the realm; the user alone, in the
    /// default realm, for an account without a domain; `nil` if the domain is a NetBIOS name, which no KDC knows.
    package var principalForKDC: String? {
        if user.contains("@") { return user }
        guard let domain, !domain.isEmpty else { return user }
        return domain.contains(".") ? "\(user)@\(domain.uppercased())" : nil
    }

    /// The user name as Basic and Digest send it. Without a domain it is ``user`` in every form.
    public var qualifiedUser: String {
        guard let domain, !domain.isEmpty else { return user }
        return switch userForm {
        case .bare: user
        case .backslash: "\(domain)\\\(user)"
        case .at: "\(user)@\(domain)"
        }
    }
}

extension Account: CustomStringConvertible, CustomReflectable {
    /// The name of the account, without user and password.
    public var description: String { "account '\(name)'" }

    /// Name, user and domain, without the password.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "user": user, "domain": domain as Any])
    }
}
