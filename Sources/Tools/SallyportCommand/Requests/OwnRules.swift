internal import AllowedSites
internal import Credentials
internal import HTTPAuthentication
internal import Hostnames
internal import Sallyport
internal import SallyportRelay
internal import WireFormat

/// The rules of a relay, or of one request with `--kerberos`, without a profile: the proxies and servers of the arguments may get credentials.
struct OwnRules: Sendable {
    private let parents: [RelayParent]
    private let servers: [Origin]
    /// Whether tickets of Kerberos answer, and no passwords.
    private let usesTickets: Bool
    /// What named them.
    private let place: String

    init(_ parents: [RelayParent], _ servers: [Origin], usesTickets: Bool, place: String = "--parent and --map") {
        (self.parents, self.servers, self.usesTickets, self.place) = (parents, servers, usesTickets, place)
    }

    /// Warns of parties that are named by addresses; `nil` without one.
    static func warning(of origins: [Origin]) -> String? {
        origins.first(where: \.host.isAddress).map {
            "--kerberos: a KDC seldom has a key for an address such as \($0.host): use the name that its key has"
        }
    }

    func compiled() throws -> CompiledProfile {
        let sites = Set((parents.map(\.origin) + servers).map { "\($0)" }).sorted()
        var profile = SecurityProfile(
            sites: try SiteList(parsing: sites.map { "\($0)\n" }.joined(), name: place),
            // NTLM comes before Digest, because it authenticates a connection once. Neither of them sends the password itself.
            schemes: usesTickets ? [.negotiate] : [.ntlm, .negotiate, .digest, .basic]
        )
        guard usesTickets else { return try CompiledProfile(profile, at: SystemClock.unixSeconds) }
        profile.kerberos = KerberosMessages()
        // A SOCKS proxy takes no tickets.
        let proxies = Set(parents.filter { $0.kind == .http }.map { "\($0.origin)" })
        let mapped = Set(servers.map { "\($0)" })
        profile.accounts =
            proxies.union(mapped).sorted().map { Self.ticket(for: $0, provesServer: mapped.contains($0)) }
        return try CompiledProfile(profile, at: SystemClock.unixSeconds)
    }

    /// - Parameter provesServer: whether the party must prove itself. Squid 5 cannot, and NTLM has no such proof either.
    private static func ticket(for site: String, provesServer: Bool) -> AccountAssignment {
        AccountAssignment(
            Account(name: "your ticket for \(site)", user: "the one that kinit got", credential: .ticket),
            sites: [site],
            negotiate: NegotiateRules(usesKerberos: true, demandsServerProof: provesServer)
        )
    }
}
