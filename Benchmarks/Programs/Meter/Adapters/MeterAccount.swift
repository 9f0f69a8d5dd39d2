internal import AllowedSites
internal import Credentials
internal import HTTPAuthentication
internal import Hostnames
internal import NTLM
internal import Sallyport
internal import Secrets

/// The account of all measurements.
enum MeterAccount {
    static let user = "jdoe"
    static let domain = "ACME"
    private static let password = "Correct-Horse"

    static func hash() throws -> NTHash { try NTHash(password: password) }

    /// A handler that answers `scheme` at `origin`.
    static func handler(_ origin: Origin, _ scheme: AuthenticationScheme) throws -> CurrentHandler {
        let account = Account(name: user, user: user, domain: domain, password: SharedSecret(utf8: password))
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "\(origin)", name: "meter"),
            schemes: [scheme],
            accounts: [.init(account, sites: ["\(origin)"], allowsCleartext: true)]
        )
        return CurrentHandler(try ChallengeHandler(profile: profile, at: 0))
    }
}
