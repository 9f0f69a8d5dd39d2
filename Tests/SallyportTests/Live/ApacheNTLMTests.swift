import AllowedSites
import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Sallyport
import Testing

/// The whole handler against a real server, over a real socket: Apache, mod_auth_gssapi, gss-ntlmssp.
@Suite(
    "NTLM against Apache with gss-ntlmssp",
    .serialized,
    .enabled(if: ApacheServer.requirement == nil, "\(ApacheServer.requirement ?? "")")
)
struct ApacheNTLMTests {
    private func handler(port: UInt16, password: String, domain: String? = "ACME") throws -> ChallengeHandler {
        let site = "http://localhost:\(port)"
        let account = Account(
            name: "jdoe",
            user: "jdoe",
            domain: domain,
            password: TestProfile.secret(password)
        )
        let profile = SecurityProfile(
            sites: try SiteList(parsing: site, name: "live"),
            schemes: [.ntlm],
            accounts: [.init(account, sites: [site])]
        )
        return try ChallengeHandler(profile: profile, at: 0)
    }

    /// Runs one request to its end on one connection; returns the statuses that came and how it ended.
    private func run(
        _ handler: ChallengeHandler,
        port: UInt16,
        on connection: LoopbackConnection
    ) throws -> (statuses: [Int], end: ChallengeDecision) {
        let origin = try Origin(parsing: "http://localhost:\(port)")
        var exchange = handler.exchange(for: ChallengedRequest(origin: origin, method: "GET", target: "/"))
        var statuses: [Int] = []
        var field: (HTTPField.Name, String)?
        for _ in 0..<4 {
            let response = try connection.get("/", host: "localhost:\(port)", field: field)
            statuses.append(response.status)
            let decision = exchange.received(status: response.status, fields: response.fields)
            guard case .answer(let answer) = decision else { return (statuses, decision) }
            field = (answer.field, answer.value.text)
        }
        throw LoopbackConnection.Failed(what: "the exchange does not end: \(statuses)")
    }

    @Test("The right password is accepted: 401, 401, 200 on one connection") func rightPassword() throws {
        let server = try ApacheServer(port: 18_081)
        let connection = try LoopbackConnection(port: server.port)
        let handler = try handler(port: server.port, password: "Correct-Horse")
        let (statuses, end) = try run(handler, port: server.port, on: connection)
        #expect(statuses == [401, 401, 200])
        #expect(end == .accepted)
        // The connection is authenticated now: the next request needs no answer.
        let next = try connection.get("/", host: "localhost:\(server.port)")
        #expect(next.status == 200)
    }

    @Test("A wrong password is refused once, and not sent again") func wrongPassword() throws {
        let server = try ApacheServer(port: 18_082)
        let handler = try handler(port: server.port, password: "Wrong-Horse")
        let connection = try LoopbackConnection(port: server.port)
        let (statuses, end) = try run(handler, port: server.port, on: connection)
        #expect(statuses == [401, 401, 401])
        #expect(end == .withhold(.credentialsRefused(account: "jdoe")))
        let again = try run(handler, port: server.port, on: LoopbackConnection(port: server.port))
        #expect(again.statuses == [401])
        #expect(again.end == .withhold(.budgetSpent(account: "jdoe")))
    }

    @Test("The right password after a wrong one, once it was updated") func updatedPassword() throws {
        let server = try ApacheServer(port: 18_083)
        let handler = try handler(port: server.port, password: "Wrong-Horse")
        _ = try run(handler, port: server.port, on: LoopbackConnection(port: server.port))
        try handler.updateUserCredentials(account: "jdoe", password: TestProfile.secret("Correct-Horse"))
        let (statuses, end) = try run(handler, port: server.port, on: LoopbackConnection(port: server.port))
        #expect(statuses == [401, 401, 200])
        #expect(end == .accepted)
    }
}
