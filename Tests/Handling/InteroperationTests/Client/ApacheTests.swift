import Credentials
import LiveServers
import Sallyport
import Secrets
import Testing

/// The whole handler against a real server, over real sockets: Apache, mod_auth_gssapi, gss-ntlmssp.
@Suite(
    "NTLM against Apache with gss-ntlmssp",
    .inTurn,
    .serialized,
    .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP, .openssl, .python)
)
struct ApacheTests {
    private func site(_ door: Door) throws -> (LiveSite, ServerScript.Apache) {
        let apache = try ServerScript.Apache()
        return (LiveSite(port: door == .http ? apache.http : apache.https, door: door), apache)
    }

    @Test("The right password is accepted: 401, 401, 200 on one connection", arguments: Door.allCases)
    func rightPassword(door: Door) throws {
        let (site, apache) = try site(door)
        defer { withExtendedLifetime(apache) {} }
        let connection = try site.connect()
        let (statuses, end) = try site.run(site.handler(password: "Correct-Horse"), on: connection)
        #expect(statuses == [401, 401, 200])
        #expect(end == .accepted)
        // The connection is authenticated now: the next request needs no answer.
        #expect(try connection.request("GET", "/", host: "localhost:\(site.port)").status == 200)
    }

    @Test("Negotiate: SPNEGO with NTLM in it, and the server's code over the list", arguments: Door.allCases)
    func negotiate(door: Door) throws {
        var (site, apache) = try site(door)
        defer { withExtendedLifetime(apache) {} }
        site.schemes = [.negotiate]
        let connection = try site.connect()
        let (statuses, end) = try site.run(site.handler(password: "Correct-Horse"), on: connection)
        #expect(statuses == [401, 401, 200] && end == .accepted)
        #expect(try connection.request("GET", "/", host: "localhost:\(site.port)").status == 200)
        let wrong = try site.handler(password: "Wrong-Horse")
        let refused = try site.run(wrong, on: site.connect())
        #expect(
            refused.statuses == [401, 401, 401] && refused.end == .withhold(.credentialsRefused(account: "account"))
        )
        #expect(try site.run(wrong, on: site.connect()).end == .withhold(.budgetSpent(account: "account")))
    }

    @Test("A password beyond ASCII", arguments: Door.allCases)
    func unicode(door: Door) throws {
        let (site, apache) = try site(door)
        defer { withExtendedLifetime(apache) {} }
        let right = try site.run(site.handler(user: "ada", password: "Zażółć"), on: site.connect())
        #expect(right.statuses == [401, 401, 200])
        let wrong = try site.run(site.handler(user: "ada", password: "Zazolc"), on: site.connect())
        #expect(wrong.statuses == [401, 401, 401])
        // gss-ntlmssp compares names in the locale of its process, and Apache's is always "C": the account is there, and
        // not found. That the name itself is well told shows against gss-ntlmssp in a process with UTF-8.
        let name = try site.run(site.handler(user: "łukasz", password: "Żółw-Ü"), on: site.connect())
        #expect(name.statuses == [401, 401, 401])
    }

    @Test("A wrong password is refused once, and not sent again", arguments: Door.allCases)
    func wrongPassword(door: Door) throws {
        let (site, apache) = try site(door)
        defer { withExtendedLifetime(apache) {} }
        let handler = try site.handler(password: "Wrong-Horse")
        let (statuses, end) = try site.run(handler, on: site.connect())
        #expect(statuses == [401, 401, 401])
        #expect(end == .withhold(.credentialsRefused(account: "account")))
        let again = try site.run(handler, on: site.connect())
        #expect(again.statuses == [401])
        #expect(again.end == .withhold(.budgetSpent(account: "account")))
        // The right password after the wrong one, once it was updated.
        let secret = SharedSecret(SecretBytes(copying: [UInt8]("Correct-Horse".utf8).span))
        try handler.updateUserCredentials(account: "account", password: secret)
        let updated = try site.run(handler, on: site.connect())
        #expect(updated.statuses == [401, 401, 200])
        #expect(updated.end == .accepted)
    }

    @Test("An account that says it has no domain is answered for, and the server decides", arguments: Door.allCases)
    func emptyDomain(door: Door) throws {
        let (site, apache) = try site(door)
        defer { withExtendedLifetime(apache) {} }
        let handler = try site.handler(password: "Correct-Horse", domain: "")
        let (statuses, _) = try site.run(handler, on: site.connect())
        #expect(statuses.count == 3)
    }

    @Test("Without a domain nothing that depends on the password is sent", arguments: Door.allCases)
    func missingDomain(door: Door) throws {
        let (site, apache) = try site(door)
        defer { withExtendedLifetime(apache) {} }
        let (statuses, end) = try site.run(
            site.handler(password: "Correct-Horse", domain: nil),
            on: site.connect()
        )
        #expect(statuses == [401, 401])
        #expect(end == .withhold(.domainRequired(account: "account", target: "ACME")))
    }
}
