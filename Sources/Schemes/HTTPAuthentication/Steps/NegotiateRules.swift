/// How the caller of a Negotiate exchange proves itself, and what it demands.
public struct NegotiateRules: Equatable, Sendable {
    /// Whether Kerberos is tried first. Its first message comes from the system's library; without it NTLM is offered alone.
    public var usesKerberos: Bool
    /// Whether an account that uses Kerberos goes on with NTLM where no ticket can be had, or the party takes none.
    public var allowsNTLM: Bool
    /// Where the tickets come from.
    public var tickets: Tickets
    /// Whether servers may act for the user at other services. The ticket for that goes only to those that the KDC marks
    /// `ok-as-delegate`.
    public var delegates: Bool
    /// Whether a server that was given a ticket must prove itself in its last response.
    ///
    /// On by default. Without the proof another server may have answered in its place.
    public var demandsServerProof: Bool

    /// Where an account's tickets of Kerberos come from.
    public enum Tickets: Hashable, Sendable {
        /// The ticket cache of the user who runs the process, which `kinit` fills.
        case cache
        /// The KDC, for the password of the account.
        case password
        /// The KDC, for a key of the account in this keytab.
        case keytab(String)
    }

    /// The rules of an account; without arguments the default ones.
    public init(
        usesKerberos: Bool = false,
        allowsNTLM: Bool = true,
        tickets: Tickets = .cache,
        delegates: Bool = false,
        demandsServerProof: Bool = true
    ) {
        self.usesKerberos = usesKerberos
        self.allowsNTLM = allowsNTLM
        self.tickets = tickets
        self.delegates = delegates
        self.demandsServerProof = demandsServerProof
    }
}
