import AllowedSites
import Credentials
import HTTPAuthentication
import Hostnames
import LiveServers
import Sallyport
import SallyportRelay
import Secrets
import Testing

/// A Squid that offers Negotiate for tickets alone, beside Basic, and answers tokens of NTLM with the same offer again.
@Suite(.inTurn, .serialized, .needs(.kerberos, .squid)) struct DeclinedParentTests {
    /// - Parameter showsPassword: whether Basic may show the password to everyone on the path.
    private static func handler(
        _ parent: Origin,
        _ schemes: [AuthenticationScheme],
        showsPassword: Bool
    ) throws -> ChallengeHandler {
        let account = Account(
            name: "account",
            user: "jdoe",
            domain: "ACME",
            password: SharedSecret(utf8: "Correct-Horse"),
            userForm: .bare
        )
        return try ChallengeHandler(
            profile: SecurityProfile(
                sites: SiteList(parsing: parent.description, name: "test"),
                schemes: schemes,
                accounts: [.init(account, sites: [parent.description], allowsCleartext: showsPassword)]
            ),
            at: 0
        )
    }

    @Test("The next scheme of the account answers, for requests and tunnels, and no password counts as bad")
    func basic() async throws {
        let realm = try await KerberosRealm.started()
        let squid = try KerberosServers.Squid(in: realm, users: "jdoe:Correct-Horse")
        let parent = try Origin(parsing: "http://localhost:\(squid.proxy)")
        let handler = try Self.handler(parent, [.negotiate, .ntlm, .basic], showsPassword: true)
        try await TestRelay.run(before: parent, handler, destinations: TestRelay.loopback()) { relay in
            for _ in 0..<3 {
                let response = try relay.connect().get("http://127.0.0.1:\(squid.origin)/")
                #expect(response.status == 200 && response.body == "<p>in</p>\n", "\(response.body)")
            }
            let tunnel = try relay.connect()
            try tunnel.send("CONNECT 127.0.0.1:\(squid.origin) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try tunnel.readHead().status == 200)
            try tunnel.send("GET / HTTP/1.0\r\n\r\n")
            #expect(try tunnel.readResponse().body == "<p>in</p>\n")
            #expect(await relay.relay.counters().badLogOns == 0)
        }
        #expect(try squid.users().allSatisfy { $0 == "jdoe" })
    }

    @Test("Where no other scheme may answer, the reason names both") func neither() async throws {
        let realm = try await KerberosRealm.started()
        let squid = try KerberosServers.Squid(in: realm, users: "jdoe:Correct-Horse")
        let parent = try Origin(parsing: "http://localhost:\(squid.proxy)")
        let handler = try Self.handler(parent, [.negotiate, .basic], showsPassword: false)
        try await TestRelay.run(before: parent, handler, destinations: TestRelay.loopback()) { relay in
            let response = try relay.connect().get("http://127.0.0.1:\(squid.origin)/")
            #expect(response.status == 502)
            #expect(
                response.body.contains("negotiate: ") && response.body.contains("cleartext: true"),
                "\(response.body)"
            )
        }
        #expect(try squid.users() == [])
    }
}
