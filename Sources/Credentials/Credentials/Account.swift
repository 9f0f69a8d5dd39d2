public import Secrets

/// A user name with its password, for Basic, Digest and NTLM.
public struct Account: Sendable {
    /// The name of this account in the profile, logs and verdicts. It is not secret.
    public let name: String
    /// The user name without its domain.
    public let user: String
    /// NetBIOS or DNS domain; `nil` for an account without a domain.
    public let domain: String?
    /// The password in UTF-8.
    public let password: SharedSecret
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

    /// Makes an account.
    ///
    /// - Parameters:
    ///   - name: the name in the profile, logs and verdicts.
    ///   - user: the user name without its domain.
    ///   - domain: NetBIOS or DNS domain; `nil` for an account without a domain.
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
