import AllowedSites
import ClientAuthentication
import Credentials
import Foundation
import HTTPAuthentication
import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import Secrets
import TestSupport
import Testing

/// Our server and proxy, asked by clients that others wrote, and by ours.
@Suite(.inTurn) struct LiveServerHandlerTests {
    /// One way in which curl logs on.
    struct Way: Sendable, CustomTestStringConvertible {
        let flag: String
        let schemes: [ClientScheme]
        let name: String

        var testDescription: String { "\(flag) for \(schemes)" }
    }

    static let ways = [
        Way(flag: "basic", schemes: [.basic], name: "jdoe (basic)"),
        Way(flag: "digest", schemes: [.digestMD5], name: "jdoe (digest)"),
        Way(flag: "digest", schemes: [.digestSHA256, .digestMD5], name: "jdoe (digest)"),
        Way(flag: "ntlm", schemes: [.ntlm], name: "jdoe (ntlm)"),
        // Without Negotiate: with it curl asks its GSS-API, which knows nothing of -u.
        Way(flag: "anyauth", schemes: ClientScheme.allCases.filter { $0 != .negotiate }, name: "jdoe (digest)"),
    ]

    @Test("curl logs on, also with a long body, with HEAD and again on one connection", .needs(.curl), arguments: ways)
    func curl(way: Way) async throws {
        let server = try await AuthenticatingServer(way.schemes)
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)"
        let base = ["curl", "-s", "--noproxy", "*", "--max-time", "600", "--\(way.flag)", "-u", "jdoe:Correct-Horse"]
        let pages = try AuthenticatingServer.run(base + ["\(url)/a", "\(url)/b?q=1"])
        #expect(pages.output == "\(way.name) GET /a 0\n\(way.name) GET /b?q=1 0\n")
        // It asks for an upgrade to HTTP/2 with each request.
        let upgrades = try AuthenticatingServer.run(base + ["--http2", "\(url)/a", "\(url)/b"])
        #expect(upgrades.output == "\(way.name) GET /a 0\n\(way.name) GET /b 0\n")
        let head = try AuthenticatingServer.run(base + ["-I", "\(url)/a"])
        #expect(head.output.hasPrefix("HTTP/1.1 ") && head.output.contains(" 200 "))
        let long = String(repeating: "x", count: 100_000)
        let posted = try AuthenticatingServer.run(base + ["-d", long, "\(url)/c"])
        #expect(posted.output == "\(way.name) POST /c 100000\n")
        let wrong = try AuthenticatingServer.run(
            base.dropLast() + ["jdoe:wrong", "-o", "/dev/null", "-w", "%{http_code}", "\(url)/a"]
        )
        #expect(wrong.output == "401")
    }

    @Test("curl logs on to our proxy, by absolute form and by CONNECT", .needs(.curl), arguments: ways)
    func proxy(way: Way) async throws {
        let server = try await AuthenticatingServer(way.schemes, party: .proxy)
        defer { server.stop() }
        let base = [
            "curl", "-s", "--max-time", "600", "-x", "http://127.0.0.1:\(server.port)", "--proxy-\(way.flag)",
            "--proxy-user",
            "jdoe:Correct-Horse",
        ]
        let forwarded = try AuthenticatingServer.run(base + ["http://wiki.acme.example/a"])
        #expect(forwarded.output == "\(way.name) GET http://wiki.acme.example/a 0\n")
        let tunnel = try AuthenticatingServer.run(base + ["-p", "http://wiki.acme.example/a"])
        #expect(tunnel.output == "\(way.name) in a tunnel\n")
        let wrong = try AuthenticatingServer.run(
            base.dropLast() + [
                "jdoe:wrong", "-o", "/dev/null", "-w", "%{http_connect}", "-p", "http://wiki.acme.example/a",
            ]
        )
        #expect(wrong.output == "407")
    }

    @Test(
        "curl logs on with Negotiate: SPNEGO of MIT Kerberos with gss-ntlmssp in it",
        .needs(.curl, .gssNTLMSSP),
        arguments: [ChallengedParty.origin, .proxy]
    )
    func curlNegotiate(party: ChallengedParty) async throws {
        let server = try await AuthenticatingServer([.negotiate], party: party)
        defer { server.stop() }
        let users = TemporaryFolder.place("sallyport-users")
        defer { try? FileManager.default.removeItem(at: users) }
        // gss-ntlmssp takes the client's account from a file.
        func run(password: String) throws -> String {
            try Data("ACME:jdoe:\(password)\n".utf8).write(to: users)
            let url = "http://127.0.0.1:\(server.port)"
            let place =
                party == .origin
                ? ["--noproxy", "*", "--negotiate", "-u", ":"] : ["-x", url, "--proxy-negotiate", "-U", ":"]
            let pages =
                party == .origin
                ? ["\(url)/a", "\(url)/b"] : ["http://wiki.acme.example/a", "http://wiki.acme.example/b"]
            let command = [
                "env", "NTLM_USER_FILE=\(users.path(percentEncoded: false))", "curl", "-s", "--max-time", "600",
            ]
            return try AuthenticatingServer.run(command + place + pages).output
        }
        let prefix = party == .origin ? "" : "http://wiki.acme.example"
        #expect(
            try run(password: AuthenticatingServer.password)
                == "ACME\\jdoe (negotiate, NTLM) GET \(prefix)/a 0\nACME\\jdoe (negotiate, NTLM) GET \(prefix)/b 0\n"
        )
        #expect(try run(password: "wrong").contains("jdoe (negotiate") == false)
    }

    @Test("requests logs on with Digest on one connection, and with NTLM", .needs(.python, .requestsNTLM))
    func requests() async throws {
        let digest = try await AuthenticatingServer([.digestSHA256, .digestMD5])
        defer { digest.stop() }
        let script = """
            import requests, sys
            from requests.auth import HTTPDigestAuth
            from requests_ntlm import HttpNtlmAuth
            kind, url = sys.argv[1:]
            session = requests.Session()
            session.trust_env = False
            session.auth = HTTPDigestAuth("jdoe", "Correct-Horse") if kind == "digest" else HttpNtlmAuth("ACME\\\\jdoe", "Correct-Horse")
            for page in range(3):
                print(session.get(f"{url}/{page}").text, end="")
            print(session.post(f"{url}/post", data=b"x" * 70000).text, end="")
            """
        let url = "http://127.0.0.1:\(digest.port)"
        let pages = try AuthenticatingServer.run(["python3", "-c", script, "digest", url])
        let expected = ["GET /0 0", "GET /1 0", "GET /2 0", "POST /post 70000"]
        #expect(pages.output == expected.map { "jdoe (digest) \($0)\n" }.joined())
        #expect(digest.connectionCount == 1)

        let ntlm = try await AuthenticatingServer([.ntlm])
        defer { ntlm.stop() }
        let others = try AuthenticatingServer.run(["python3", "-c", script, "ntlm", "http://127.0.0.1:\(ntlm.port)"])
        #expect(others.output == expected.map { "ACME\\jdoe (ntlm) \($0)\n" }.joined())
    }

    @Test("Our client logs on with each scheme, and takes the server's proof", arguments: ClientScheme.allCases)
    func ours(scheme: ClientScheme) async throws {
        let server = try await AuthenticatingServer([scheme])
        defer { server.stop() }
        for user in [.ntlm, .negotiate].contains(scheme) ? ["ACME\\jdoe"] : ["jdoe", "Jäsøn"] {
            let rules = ["\(try server.origin)"]
            let account = Account(name: "a", user: user, password: SharedSecret(utf8: AuthenticatingServer.password))
            let profile = SecurityProfile(
                sites: try SiteList(parsing: rules.joined(separator: "\n"), name: "test"),
                schemes: [scheme.scheme],
                accounts: [.init(account, sites: rules, allowsCleartext: true, allowsUnbound: true)]
            )
            let current = CurrentHandler(try ChallengeHandler(profile: profile, at: 0))
            let client = AuthenticatedClient(current, settings: .patient)
            for page in 0..<5 {
                let request = ClientRequest(origin: try server.origin, target: "/\(page)")
                let response = try await client.execute(request, deadline: .now() + .hours(1))
                let text = String(buffer: try await response.body.collect(upTo: 1_000))
                let used = scheme == .negotiate ? "negotiate, NTLM" : "\(scheme.scheme)"
                #expect(text == "\(user) (\(used)) GET /\(page) 0\n", "\(response.outcome)")
            }
        }
    }

    @Test(
        "64 connections of one user with the right password at once get no 429",
        arguments: [ClientScheme.basic, .digestMD5]
    )
    func manyConnections(scheme: ClientScheme) async throws {
        let server = try await AuthenticatingServer([scheme], limit: 3)
        defer { server.stop() }
        let rules = ["\(try server.origin)"]
        let account = Account(name: "a", user: "jdoe", password: SharedSecret(utf8: AuthenticatingServer.password))
        let profile = SecurityProfile(
            sites: try SiteList(parsing: rules.joined(separator: "\n"), name: "test"),
            schemes: [scheme.scheme],
            accounts: [.init(account, sites: rules, allowsCleartext: true, allowsUnbound: true)]
        )
        let client = AuthenticatedClient(
            CurrentHandler(try ChallengeHandler(profile: profile, at: 0)),
            settings: .patient
        )
        let origin = try server.origin
        try await withThrowingTaskGroup { group in
            for number in 0..<64 {
                group.addTask {
                    for page in 0..<10 {
                        let request = ClientRequest(origin: origin, target: "/\(number)/\(page)")
                        let response = try await client.execute(request, deadline: .now() + .hours(1))
                        _ = try await response.body.collect(upTo: 1_000)
                        #expect(response.status == .ok)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// On loopback clients are told apart by their users, and only root starts programs of others.
    @Test(
        "Someone who guesses gets 429 after the bound, and a stranger's guesses do not lock a known user out",
        .enabled(if: getuid() == 0)
    )
    func guesses() async throws {
        let server = try await AuthenticatingServer([.basic], limit: 3)
        defer { server.stop() }
        func status(_ password: String, as user: Int, from address: String = "127.0.0.1") throws -> String {
            try AuthenticatingServer.run([
                "setpriv", "--reuid=\(user)", "--clear-groups", "curl", "-s", "--noproxy", "*", "--interface", address,
                "-o",
                "/dev/null", "-w", "%{http_code}", "-u", "jdoe:\(password)", "http://127.0.0.1:\(server.port)/",
            ]).output
        }
        #expect(try status("Correct-Horse", as: 65_531) == "200")
        for number in 0..<3 { #expect(try status("wrong", as: 65_532, from: "127.0.0.\(number + 2)") == "401") }
        #expect(try status("wrong", as: 65_532) == "429")
        #expect(try status("Correct-Horse", as: 65_533) == "429")
        #expect(try status("Correct-Horse", as: 65_531) == "200")
    }
}
