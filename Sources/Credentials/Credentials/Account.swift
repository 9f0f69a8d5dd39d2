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

    /// Names an account.
    public init(name: String, user: String, domain: String? = nil, password: SharedSecret) {
        self.name = name
        self.user = user
        self.domain = domain
        self.password = password
    }

    /// The same account with another password.
    public func replacing(password: SharedSecret) -> Account {
        Account(name: name, user: user, domain: domain, password: password)
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
