internal import AllowedSites
internal import Hostnames
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import WireFormat

/// Says why a server or a proxy got no client certificate, and how it gets one.
struct CertificateRemedy: Sendable {
    /// The path of the profile; `nil` without one.
    var profile: String?
    /// The client certificates of the profile, for this server and for others.
    var identities: [ProfileIdentity] = []
    /// The server of the URL that is requested, which alone gets the certificate of the options; `nil` without such a certificate.
    var servedByOption: Origin?
    /// The proxies of the request; `nil` if it takes none.
    var ways: RequestWays?

    /// Options that name a certificate.
    private static let options = "--cert FILE or --cert-identity NAME"

    /// What `origin` is for the request.
    func party(_ origin: Origin) -> String { isProxy(origin) ? "the proxy" : "the server" }

    func isProxy(_ origin: Origin) -> Bool { ways?.usesProxy(origin) == true }

    /// How messages name an identity: with the line of the profile that declares it.
    func shown(_ name: String) -> String {
        identities.first { $0.name == name }?.shown ?? "identity \(VisibleText.quoted(name))"
    }

    func text(_ refusal: Refusal, for origin: Origin) -> String {
        let option = "present one with \(Self.options)"
        switch refusal {
        case .noCredential where isProxy(origin):
            return
                "\(servedByOption == nil ? "" : "--cert is for the server of the URL alone: ")name one in 'identities' of "
                + "\(profile == nil ? "a profile (--profile)" : "the profile") with \(origin) in its 'sites'"
        case .noCredential where servedByOption.map { $0 != origin } == true:
            return "--cert is for the server of the URL alone: request this URL itself, or name one in 'identities' of "
                + "\(profile == nil ? "a profile (--profile)" : "the profile") with \(origin) in its 'sites'"
        case .noCredential where !identities.isEmpty:
            return "none of the profile's identities is for \(origin): add it to 'sites' of one, or \(option)"
        case .noCredential: return "\(option), or name it in the profile"
        case .identityDeclined: return "none was chosen: run the command again and choose one, or \(option)"
        case .severalIdentities:
            return "several fit: choose one at a terminal, let 'sites' of one alone name \(origin), or \(option)"
        case .siteNotAllowed(let verdict) where profile != nil:
            let reason = ResponseExplanation.text(verdict, profile)
            return "\(origin) may not receive credentials (\(reason)): let the list 'sites' of the profile allow it"
        default: return "\(refusal)"
        }
    }
}
