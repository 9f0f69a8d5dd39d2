/// A profile of a transcript: all that decisions depend on, without passwords and pins.
public struct RecordedProfile: Decodable, Sendable {
    /// An account, without its password.
    public struct Account: Decodable, Sendable {
        /// The name in the profile.
        public let name: String
        /// The user name without its domain.
        public let user: String
        /// The domain, if there is one.
        public let domain: String?
        /// `bare`, `backslash` or `at`.
        public let userForm: String
        /// The rules of its sites.
        public let sites: [String]
        /// The schemes that it may use; absent for those of the profile.
        public let schemes: [String]?
        /// Whether its password may be shown to observers.
        public let cleartext: Bool
        /// Whether a weaker scheme may take the place of a stronger one.
        public let downgrade: Bool
        /// Whether an answer may go out without channel binding.
        public let unbound: Bool
        /// Whether Digest without `qop` is answered.
        public let missingQop: Bool
        /// `md5` or `sha-256`.
        public let weakest: String
        /// A number in place of the password: equal numbers, equal passwords.
        public let password: UInt64
    }

    /// The rules for refused passwords; times in nanoseconds.
    public struct Lockout: Decodable, Sendable {
        /// Refusals in a row before the password is paused.
        public let maximumRefusals: Int
        /// How long it is paused.
        public let observationWindow: Int64
        /// How long one attempt may take.
        public let attemptLimit: Int64
        /// How long a path is withheld.
        public let withholding: Int64
        /// How long a refusal counts; absent for as long as the process runs.
        public let refusalLifetime: Int64?
        /// Whether one attempt runs at a time.
        public let oneAtATime: Bool
    }

    /// The number that the responses of the transcript name.
    public let profile: UInt64
    /// The rules of the allowed sites; absent if there were too many to write.
    public let sites: [String]?
    /// The schemes, in order of preference.
    public let schemes: [String]
    /// The accounts, without their passwords.
    public let accounts: [Account]
    /// The rules for refused passwords.
    public let lockout: Lockout
}
