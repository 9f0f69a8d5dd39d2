import AllowedSites
import Credentials
import Hostnames
import LiveServers
import NIOCore
import Sallyport
import SallyportClient
import Secrets

/// A client with one account for a scripted server, and the server's usual responses.
enum OneAccount {
    /// A handler with one account for the sites of `rules`, for Basic and Digest.
    ///
    /// - Parameter isStill: whether no time passes for its rules: Digest answers in advance only within 100 ms of a success.
    static func current(_ rules: String..., isStill: Bool = false) throws -> CurrentHandler {
        let account = Account(name: "a", user: "jdoe", domain: nil, password: SharedSecret(utf8: "Secret"))
        let profile = SecurityProfile(
            sites: try SiteList(parsing: rules.joined(separator: "\n"), name: "test"),
            schemes: [.digest, .basic],
            accounts: [.init(account, sites: rules, allowsCleartext: true)]
        )
        if isStill {
            return CurrentHandler(ChallengeHandler(try CompiledProfile(profile, at: 0), clock: ManualClock()))
        }
        return CurrentHandler(try ChallengeHandler(profile: profile, at: 0))
    }

    static func client(_ server: ScriptedServer, _ change: (inout ClientSettings) -> Void = { _ in }) throws
        -> AuthenticatedClient
    {
        var settings = ClientSettings.patient
        change(&settings)
        return AuthenticatedClient(try current("\(server.origin)"), settings: settings)
    }

    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    static let basic =
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno"

    /// A deadline that no test reaches.
    static var soon: NIODeadline { .now() + .hours(1) }
}
