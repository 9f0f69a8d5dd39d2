public import Sallyport

/// What a user types to log on.
public struct UserCredentials: Sendable {
    /// `jdoe`, `ACME\jdoe` or `jdoe@acme.example`.
    public var user: String
    /// NetBIOS or DNS domain; `nil` for none, or if ``user`` has it.
    public var domain: String?
    /// In UTF-8.
    public var password: SharedSecret
    /// How Basic and Digest write user and domain; `nil` for the form of the account before, if that had a domain.
    public var userForm: Account.UserForm?

    /// Makes credentials.
    ///
    /// - Parameters:
    ///   - user: `jdoe`, `ACME\jdoe` or `jdoe@acme.example`.
    ///   - domain: NetBIOS or DNS domain; `nil` for none, or if `user` has it.
    ///   - password: in UTF-8.
    ///   - userForm: how Basic and Digest write user and domain; `nil` for the form of the account before.
    public init(user: String, domain: String? = nil, password: SharedSecret, userForm: Account.UserForm? = nil) {
        self.user = user
        self.domain = domain
        self.password = password
        self.userForm = userForm
    }

    /// The account `old` with these credentials.
    func account(replacing old: Account) -> Account {
        // An account without a domain had no form that counted; then the form follows from how the user is written.
        let form = userForm ?? (old.domain == nil ? nil : old.userForm)
        return Account(name: old.name, user: user, domain: domain, password: password, userForm: form)
    }
}

extension UserCredentials: CustomStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "<credentials>" }

    /// User and domain, without the password.
    public var customMirror: Mirror { Mirror(self, children: ["user": user, "domain": domain as Any]) }
}

/// Where an ``AuthenticationController`` gets new passwords and client identities: the application's dialogue, its vault,
/// or its device management.
public struct AuthenticationSource: Sendable {
    /// Assigns a client identity to sites.
    public typealias IdentityAssignment = SecurityProfile.Assignment<ClientIdentity>

    let credentials: @Sendable (AccountNames) async throws -> UserCredentials
    let identities: @Sendable () async throws -> [IdentityAssignment]

    /// Makes a source of two closures.
    ///
    /// - Parameters:
    ///   - credentials: gets the names of the account and returns what the user typed. It may return another user or domain.
    ///     It throws if the user cancels.
    ///   - identities: returns all client identities, which replace those of the profile.
    public init(
        credentials: @escaping @Sendable (AccountNames) async throws -> UserCredentials,
        identities: @escaping @Sendable () async throws -> [IdentityAssignment]
    ) {
        self.credentials = credentials
        self.identities = identities
    }
}
