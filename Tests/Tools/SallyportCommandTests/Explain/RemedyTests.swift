import Foundation
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
        [false, true]
    )
    func unknownScheme(hasProfile: Bool, isProxy: Bool) async throws {
        let challenge = #"Hawk ts="1", Foo realm="r""#
        let server = try await ScriptedServer { _ in .send(Self.asks(isProxy ? 407 : 401, challenge)) }
        defer { server.stop() }
        let folder = try RequestFolder()
        try folder.profile("x", at: "\(server.origin)", schemes: "digest")
        let profile = hasProfile ? ["--profile", folder.path("profile.yaml")] : []
        let url = isProxy ? ["http://a.example/", "--proxy", "\(server.origin)"] : ["\(server.origin)/"]
        let run = try await folder.live(["explain"] + url + profile + ["--no-prompt"])
        #expect(run.status == 1, "\(run.error)")
        let who = isProxy ? "the proxy" : "the server"
        #expect(run.output.contains("\(who) offers only hawk, foo, which sallyport does not know: "), "\(run.output)")
        #expect(run.output.contains("hawk: sallyport does not know it"), "\(run.output)")
        #expect(!run.output.contains("use --profile") && !run.output.contains("add it to 'schemes'"), "\(run.output)")
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
    }
}
