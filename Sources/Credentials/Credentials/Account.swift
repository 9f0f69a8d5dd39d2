public import Secrets

/// A user name with its password: what Basic, Digest and NTLM answer with.
public struct Account: Sendable {
    /// What the profile, logs and verdicts call this account; never the user's real secret.
    public let name: String
    /// The user name, as the server knows it.
    public let user: String
    /// NetBIOS or DNS domain, or `nil` for an account that has none.
    public let domain: String?
    /// The password in UTF-8.
    public let password: SharedSecret
    /// How Basic and Digest write user and domain; NTLM sends them apart.
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

    /// Names an account.
    ///
    /// - Parameters:
    ///   - name: what the profile, logs and verdicts call it.
    ///   - user: the user name without its domain.
    ///   - domain: NetBIOS or DNS domain; `nil` for an account that has none.
    ///   - password: in UTF-8.
    ///   - userForm: how Basic and Digest write user and domain.
    public init(
        name: String,
        user: String,
        domain: String? = nil,
        password: SharedSecret,
        userForm: UserForm = .bare
    ) {
        self.name = name
        self.user = user
        self.domain = domain
        self.password = password
        self.userForm = userForm
    }

    /// The same account with another password.
    public func replacing(password: SharedSecret) -> Account {
        Account(name: name, user: user, domain: domain, password: password, userForm: userForm)
    }

    /// The user name as Basic and Digest send it; an account without a domain has one form only.
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
    /// The reference name alone.
    public var description: String { "account '\(name)'" }

    /// Name, user and domain; not the password.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "user": user, "domain": domain as Any])
    }
}
