public import Credentials
public import HTTPAuthentication

/// A profile without its secrets.
public struct ProfileSummary: Sendable {
    /// An account with its rules.
    public struct AccountSummary: Sendable {
        /// The name in the profile.
        public let name: String
        /// The user name without its domain.
        public let user: String
        /// The domain, or `nil`.
        public let domain: String?
        /// How Basic and Digest write user and domain.
        public let userForm: Account.UserForm
        /// The rules of its sites.
        public let sites: [String]
        /// The schemes that it may use; `nil` for those of the profile.
        public let schemes: [AuthenticationScheme]?
        /// ``AccountAssignment/allowsCleartext``.
        public let allowsCleartext: Bool
        /// ``AccountAssignment/allowsDowngrade``.
        public let allowsDowngrade: Bool
        /// ``AccountAssignment/allowsUnbound``.
        public let allowsUnbound: Bool
        /// ``AccountAssignment/digest``.
        public let digest: DigestRules
        /// A number of its password, which no other password of the process has. It is not derived from the password.
        public let password: UInt64
    }

    /// The most rules of sites that a summary lists.
    public static let mostSites = 10_000

    /// A number of the compiled profile, which no other one of the process has.
    public let number: UInt64
    /// The rules of its sites; `nil` if there are more than ``mostSites``.
    public let sites: [String]?
    /// The schemes, in order of preference.
    public let schemes: [AuthenticationScheme]
    /// The accounts that answer challenges, by name and sites, without their secrets.
    public let accounts: [AccountSummary]
    /// The rules for refused passwords.
    public let lockout: LockoutRules
}
