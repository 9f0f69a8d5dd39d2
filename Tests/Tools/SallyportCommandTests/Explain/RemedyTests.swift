import Foundation
import Hostnames
import LiveServers
import Testing

/// What `explain` advises where no password would help.
@Suite(.inTurn) struct RemedyTests {
    private static func asks(_ status: Int, _ challenge: String) -> String {
        let field = status == 407 ? "Proxy-Authenticate" : "WWW-Authenticate"
        return "HTTP/1.1 \(status) no\r\n\(field): \(challenge)\r\nContent-Length: 0\r\n\r\n"
    }

    @Test(
        "Schemes that are not known, with and without a profile, at a server and at a proxy",
        arguments: [false, true],
        ["", "http://a.example/", "https://a.example/"]
    )
    func unknownScheme(hasProfile: Bool, proxied: String) async throws {
        let challenge = #"Hawk ts="1", Foo realm="r""#
        let isProxy = !proxied.isEmpty
        let server = try await ScriptedServer { _ in .send(Self.asks(isProxy ? 407 : 401, challenge)) }
        defer { server.stop() }
        let folder = try RequestFolder()
        try folder.profile("x", at: "\(server.origin)", schemes: "digest")
        let profile = hasProfile ? ["--profile", folder.path("profile.yaml")] : []
        let url = isProxy ? [proxied, "--proxy", "\(server.origin)"] : ["\(server.origin)/"]
        let run = try await folder.live(["explain"] + url + profile + ["--no-prompt"])
        #expect(run.status == 1, "\(run.error)")
        let who = isProxy ? "the proxy" : "the server"
        #expect(run.output.contains("\(who) offers only hawk, foo, which sallyport does not know: "), "\(run.output)")
        #expect(run.output.contains("hawk: sallyport does not know it"), "\(run.output)")
        #expect(!run.output.contains("use --profile") && !run.output.contains("add it to 'schemes'"), "\(run.output)")
    }

    @Test(
        "A proxy that refuses a tunnel gets the remedy of a request that it forwards",
        arguments: [
            (#"Basic realm="r""#, "offers Basic alone, and Basic over plain http shows the password"),
            (#"Bearer realm="r""#, "offers only bearer, which needs a profile"),
            (#"Hawk ts="1", Foo realm="r""#, "offers only hawk, foo, which sallyport does not know"),
            (#"Basic realm="r"#, "sends a challenge that cannot be read"),
            (#"Basic realm="r""#, "name a proxy with https:// if there is one, or allow it with --cleartext"),
            (#"Hawk ts="1", Basic realm="r""#, "offers only Basic beside what sallyport does not know"),
            (
                #"Digest realm="r", nonce="n", qop="auth""#,
                "keep a password with sallyport credentials add PROXY --proxy --user NAME, give --profile, --git, or run at"
            ),
        ]
    )
    func tunnel(challenge: String, expected: String) async throws {
        let proxy = try await ScriptedServer { _ in .send(Self.asks(407, challenge)) }
        defer { proxy.stop() }
        try await checkBoth(proxy.origin.description, expected.replacing("PROXY", with: "\(proxy.origin)"))
    }

    /// Responses of a server, the reason of the refusal, and what the outcome says of it. The schemes that handlers answer are those of
    /// the page about ChallengeHandling.
    private static let refusals: [(fields: [String], code: String, outcome: String)] = [
        ([#"WWW-Authenticate: Hawk ts="1""#], "no-supported-scheme", "offers only hawk, which sallyport does not know"),
        (
            [#"WWW-Authenticate: SCRAM-SHA-256 realm="r""#], "no-supported-scheme",
            "offers only scram-sha-256, which sallyport does not know"
        ),
        (
            [#"WWW-Authenticate: SCRAM-SHA-256 realm="r""#, #"WWW-Authenticate: Bearer realm="r""#],
            "no-supported-scheme", "offers only bearer, which needs a profile: use --profile"
        ),
        (["WWW-Authenticate: Negotiate"], "no-supported-scheme", "offers only negotiate, which needs a profile"),
        ([], "no-supported-scheme", "names no scheme, so nothing can be answered"),
        (["WWW-Authenticate:"], "no-supported-scheme", "names no scheme, so nothing can be answered"),
        (
            [#"Proxy-Authenticate: Basic realm="r""#], "no-supported-scheme",
            "names no scheme, so nothing can be answered"
        ),
        ([#"WWW-Authenticate: Basic realm="r"#], "no-credential", "sends a challenge that cannot be read"),
        ([#"WWW-Authenticate: Basic realm="r""#], "no-credential", "offers Basic alone"),
        (
            [#"WWW-Authenticate: Hawk ts="1""#, #"WWW-Authenticate: Digest realm="r", nonce="n", qop="auth""#],
            "no-credential", "keep a password with sallyport credentials add http://127.0.0.1:"
        ),
    ]

    @Test("The end names the reason, and the outcome alone the remedy", arguments: refusals.indices)
    func oneRemedy(index: Int) async throws {
        let (fields, code, outcome) = Self.refusals[index]
        let lines = fields.map { $0 + "\r\n" }.joined()
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 401 no\r\n\(lines)Content-Length: 0\r\n\r\n") }
        defer { server.stop() }
        let run = try await RequestFolder().live(["explain", "\(server.origin)/", "--no-prompt"])
        let told = run.output.split(separator: "\n")
        #expect(run.status == 1 && told.contains("end       no answer to the server: \(code)"), "\(run.output)")
        #expect(told.last?.hasPrefix("outcome   no: ") == true && told.last?.contains(outcome) == true, "\(run.output)")
    }

    @Test("With a profile the schemes are named that can be added to it") func otherSchemes() async throws {
        let server = try await ScriptedServer { _ in .send(Self.asks(401, #"Hawk ts="1", Negotiate, NTLM"#)) }
        defer { server.stop() }
        let folder = try RequestFolder()
        try folder.profile("x", at: "\(server.origin)", schemes: "digest")
        let run = try await folder.live([
            "explain", "\(server.origin)/", "--profile", folder.path("profile.yaml"), "--no-prompt",
        ])
        let expected = "offers no scheme of the profile: add one of negotiate, ntlm to 'schemes' if it may answer"
        #expect(run.status == 1 && run.output.contains(expected), "\(run.output)")
    }

    @Test("A page that nobody may see does not blame an account") func forbidden() async throws {
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 403 no\r\nContent-Length: 0\r\n\r\n") }
        defer { server.stop() }
        let run = try await RequestFolder().live(["explain", "\(server.origin)/", "--no-prompt"])
        #expect(
            run.status == 1 && run.output.contains("refuses this page and asks for no credentials"),
            "\(run.output)"
        )
    }

    @Test("Without a challenge both say that nothing can be answered") func nothing() async throws {
        let proxy = try await ScriptedServer { _ in .send("HTTP/1.1 407 no\r\nContent-Length: 0\r\n\r\n") }
        defer { proxy.stop() }
        try await checkBoth(proxy.origin.description, "names no scheme, so nothing can be answered")
    }

    @Test(
        "The same at Squid, which asks for each of its schemes",
        .needs(.squid, .pyspnego),
        arguments: zip(
            GuardedServer.Kind.squid,
            ["offers Basic alone", "keep a password with sallyport", "keep a password with sallyport"]
        )
    )
    func squid(kind: GuardedServer.Kind, expected: String) async throws {
        let server = try await GuardedServer.started(kind)
        try await checkBoth("\(server.address())", expected)
        #expect(try server.takeBadLogOns() == 0)
    }

    /// The remedies of `get` and of `explain`, for a request that the proxy forwards and for a tunnel.
    private func checkBoth(_ proxy: String, _ expected: String) async throws {
        for verb in ["get", "explain"] {
            for url in ["http://a.example/", "https://a.example/"] {
                let run = try await RequestFolder().live([verb, url, "--proxy", proxy, "--no-prompt"])
                #expect(run.status == 1, "\(verb) \(url): \(run.error)")
                let text = run.output + run.error
                #expect(text.contains(expected), "\(verb) \(url): \(text)")
                #expect(!text.contains("needs --cleartext, too"), "\(verb) \(url): \(text)")
            }
        }
    }

    @Test("A proxy that the profile does not allow is named as such, with the list to change")
    func proxySite() async throws {
        let proxy = try await ScriptedServer { _ in .send(Self.asks(407, #"Basic realm="r""#)) }
        defer { proxy.stop() }
        let folder = try RequestFolder()
        try folder.profile("x", at: "http://a.example", schemes: "basic")
        let arguments = ["explain", "http://a.example/", "--proxy", "\(proxy.origin)"]
        let run = try await folder.live(arguments + ["--profile", folder.path("profile.yaml"), "--no-prompt"])
        #expect(run.status == 1)
        let last = run.output.split(separator: "\n").last ?? ""
        #expect(last.contains("the proxy \(proxy.origin) may not receive credentials ("), "\(last)")
        #expect(last.contains("let the list 'sites' of the profile allow it"), "\(last)")
    }

    @Test("A URL that is a proxy's own leads to --proxy")
    func proxyAsServer() async throws {
        let proxy = try await ScriptedServer { _ in .send(Self.asks(407, #"Basic realm="r""#)) }
        defer { proxy.stop() }
        let run = try await RequestFolder().live(["explain", "\(proxy.origin)/", "--no-prompt"])
        #expect(run.status == 1)
        #expect(run.output.contains("name it with --proxy and request the page itself"), "\(run.output)")
        #expect(run.output.contains("\nend       status 407 is not from the party that may challenge"), "\(run.output)")
    }
}
