public import AllowedSites
public import Credentials
public import HTTPAuthentication
public import Negotiate
public import SPKIPins

/// The rules for a handler: sites, schemes in their order, credentials and pins.
public struct SecurityProfile: Sendable {
    /// A value that is used only at the sites of its rules.
    public struct Assignment<Value: Sendable>: Sendable {
        /// The assigned value.
        public let value: Value
        /// Rules of the allowed-site language. Between assignments the most specific rule decides.
        public let sites: [String]

        /// Assigns `value` to the sites of the rules `sites`.
        public init(_ value: Value, sites: [String]) {
            self.value = value
            self.sites = sites
        }
    }

    /// The sites that may receive credentials.
    public var sites: SiteList
    /// The schemes that may be used, in order of preference. The server's order does not count.
    public var schemes: [AuthenticationScheme]
    /// Accounts and their sites.
    public var accounts: [AccountAssignment]
    /// Client certificates and their sites. Two may have one rule: then the user chooses.
    public var identities: [Assignment<ClientIdentity>]
    /// Which identity a host gets if several fit; of two for one host the last one counts.
    public var chosenIdentities: [ChosenIdentity]
    /// Pins by host pattern.
    public var pins: [PinPolicy.Entry]
    /// Keys of servers that are trusted without an authority.
    public var trustedKeys: [TrustedKey]
    /// The version of the profile. Increase it with each change: pin verdicts contain it, for keys of connection pools.
    public var version: UInt64
    /// Where messages of Kerberos come from, for accounts that use it; ``KerberosMessages`` for the system's library. `nil` leaves it
    /// to the caller of ``RequestAuthentication``.
    public var kerberos: (any SystemMessageSource)?
    /// How careful the handler is with passwords that a server refuses.
    public var lockout: LockoutRules

    /// A profile that allows only its arguments.
    public init(
        sites: SiteList,
        schemes: [AuthenticationScheme],
        accounts: [AccountAssignment] = [],
        identities: [Assignment<ClientIdentity>] = [],
        chosenIdentities: [ChosenIdentity] = [],
        pins: [PinPolicy.Entry] = [],
        trustedKeys: [TrustedKey] = [],
        version: UInt64 = 1,
        lockout: LockoutRules = LockoutRules(),
        kerberos: (any SystemMessageSource)? = nil
    ) {
        self.sites = sites
        self.schemes = schemes
        self.accounts = accounts
        self.identities = identities
        self.chosenIdentities = chosenIdentities
        self.pins = pins
        self.trustedKeys = trustedKeys
        self.version = version
        self.lockout = lockout
        self.kerberos = kerberos
    }
}
