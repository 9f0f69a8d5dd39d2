import AllowedSites
import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import LiveServers
import Sallyport
import Secrets

/// A way in: plain, or through TLS.
enum Door: String, CaseIterable { case http, https }

/// An origin server on loopback, and requests to it through the whole handler.
struct LiveSite {
    let port: UInt16
    let door: Door
    var path = "/"
    var schemes: [AuthenticationScheme] = [.ntlm]
    var allowsCleartext = false
    var allowsUnbound = false

    private var name: String { "\(door.rawValue)://localhost:\(port)" }

    func connect() throws -> LoopbackConnection { try LoopbackConnection(port: port, isTLS: door == .https) }

    /// A handler with one account, named "account".
    func handler(user: String = "jdoe", password: String, domain: String? = "ACME") throws -> ChallengeHandler {
        let account = Account(name: "account", user: user, domain: domain, password: SharedSecret(utf8: password))
        let profile = SecurityProfile(
            sites: try SiteList(parsing: name, name: "live"),
            schemes: schemes,
            accounts: [
                .init(account, sites: [name], allowsCleartext: allowsCleartext, allowsUnbound: allowsUnbound)
            ]
        )
        return try ChallengeHandler(profile: profile, at: 0)
    }

    /// Runs one request to its end on one connection; returns the statuses that came and how it ended.
    ///
    /// - Parameter certificate: what the handler is told that the server presented; `nil` for the truth.
    func run(
        _ handler: ChallengeHandler,
        on connection: LoopbackConnection,
        certificate: [UInt8]? = nil
    ) throws -> (statuses: [Int], end: ChallengeDecision) {
        let presented = certificate ?? connection.certificate
        var exchange = handler.exchange(
            for: ChallengedRequest(
                origin: try Origin(parsing: name),
                method: "GET",
                target: path,
                serverCertificate: presented.isEmpty ? nil : presented
            )
        )
        var statuses: [Int] = []
        var field: HTTPField?
        for _ in 0..<4 {
            let response = try connection.request("GET", path, host: "localhost:\(port)", field: field)
            statuses.append(response.status)
            let decision = exchange.received(status: response.status, fields: response.fields)
            guard case .answer(let answer) = decision else { return (statuses, decision) }
            field = answer.httpField
        }
        throw PeerFailure(what: "the exchange does not end: \(statuses)")
    }
}
