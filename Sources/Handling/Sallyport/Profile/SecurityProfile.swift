public import AllowedSites
public import Credentials
public import HTTPAuthentication
public import SPKIPins

/// What a handler is allowed to do: which sites, which schemes in which order, whose credentials, which pins.
public struct SecurityProfile: Sendable {
    /// Something that is used at the sites of its own rules only.
    public struct Assignment<Value: Sendable>: Sendable {
        /// What is assigned.
        public let value: Value
        /// Rules of the allowed-site language; the most specific one decides between assignments.
        public let sites: [String]

        /// Assigns `value` to the sites that `sites` name.
        public init(_ value: Value, sites: [String]) {
            self.value = value
            self.sites = sites
        }
    }

    /// Sites that may receive credentials at all.
    public var sites: SiteList
    /// Schemes that may be used, the most wanted first; what the server prefers does not count.
    public var schemes: [AuthenticationScheme]
    /// Accounts and where each is used.
    public var accounts: [Assignment<Account>]
    /// Client certificates and where each is used.
    public var identities: [Assignment<ClientIdentity>]
    /// Pins by host pattern.
    public var pins: [PinPolicy.Entry]
    /// Counts up with each change; verdicts about pins carry it, for the keys of connection pools.
    public var version: UInt64

    /// A profile that allows what its arguments name and nothing else.
    public init(
        sites: SiteList,
        schemes: [AuthenticationScheme],
        accounts: [Assignment<Account>] = [],
        identities: [Assignment<ClientIdentity>] = [],
        pins: [PinPolicy.Entry] = [],
        version: UInt64 = 1
    ) {
        self.sites = sites
        self.schemes = schemes
        self.accounts = accounts
        self.identities = identities
        self.pins = pins
        self.version = version
    }
}
