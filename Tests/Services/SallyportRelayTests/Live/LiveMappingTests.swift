import AllowedSites
import Credentials
import Foundation
import HTTPAuthentication
import Hostnames
import LiveServers
import Sallyport
import SallyportNIO
import SallyportRelay
import Secrets
import TestSupport
import Testing

/// Programs that know no NTLM reach an Apache that demands it over TLS, with channel binding, as IIS does.
@Suite(.inTurn, .serialized, .needs(.apache, .gssNTLMSSP, .git, .python)) struct LiveMappingTests {
    private static let script = """
        set -e
        curl -sS "$SERVER/page.html"
        printf hello >data
        curl -sS -o /dev/null -w '%{http_code}\\n' -T data "$SERVER/upload"
        git clone --quiet "$SERVER/sample.git" clone && cat clone/file
        python3 -m pip download --no-deps --disable-pip-version-check --trusted-host 127.0.0.1 --index-url "$SERVER/simple" sample
        ls
        """

    /// Runs the script in a folder, with an Apache that has the pages of an open server.
    ///
    /// - Parameter prepare: completes the settings and the profile for the origin server.
    private static func run(
        listen: String = "127.0.0.1:0",
        script: String = script,
        _ prepare: (inout RelaySettings, inout SecurityProfile) throws -> Void
    ) async throws -> (output: String, counters: RelayCounters) {
        let folder = TemporaryFolder.place("mapped")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let mapped = try MappedServer()
        let files = try mapped.write(to: folder)
        let port = try ServerPort.take()
        let packages = try HelperProcess(server: "packages", ["\(port)"])
        let apache = try ServerScript.Apache(before: port, certificate: files.certificate, key: files.key)
        let origin = try Origin(parsing: "https://localhost:\(apache.https)")
        let account = Account(
            name: "account",
            user: "jdoe",
            domain: ServerScript.domain,
            password: SharedSecret(utf8: "Correct-Horse")
        )
        var profile = SecurityProfile(
            sites: try SiteList(parsing: "\(origin)\n", name: "test"),
            schemes: [.ntlm],
            accounts: [.init(account, sites: ["\(origin)"])]
        )
        var settings = RelaySettings()
        settings.listeners = []
        settings.mappings = [RelayMapping(try ListenAddress(parsing: listen), to: origin)]
        settings.certificate = try ListenerCertificate(chain: files.certificate, key: files.key)
        try prepare(&settings, &profile)
        let handler = try ChallengeHandler(profile: profile, at: 0)
        let tls = try mapped.tls(CurrentHandler(handler))
        var result: (String, RelayCounters)?
        try await TestRelay.run(settings, handler, tls: tls) { relay, ports in
            let scheme = settings.mappings[0].listener.isSecure ? "https" : "http"
            let shell = ClientShell(folder: folder, proxy: nil, server: "\(scheme)://127.0.0.1:\(ports[0])")
            result = (try shell.run(script), await relay.counters())
        }
        withExtendedLifetime((packages, apache)) {}
        return try #require(result)
    }

    private static func check(_ result: (output: String, counters: RelayCounters)) {
        #expect(result.output.contains("<p>in</p>"), "\(result.output)")
        // The open server knows no uploads.
        #expect(result.output.contains("501\n"), "\(result.output)")
        #expect(result.output.contains("hello\n") && result.output.contains("sample-1.0-py3-none-any.whl"))
        #expect(result.counters.badLogOns == 0 && result.counters.requests > 5)
    }

    @Test("curl, git and pip in plain http, directly")
    func direct() async throws { Self.check(try await Self.run { _, _ in }) }

    @Test("The same through a Squid that demands NTLM itself", .needs(.squid, .winbind))
    func throughParent() async throws {
        let squid = try await GuardedServer.started(.squidNTLM)
        let parent = try squid.address()
        let result = try await Self.run { settings, profile in
            settings.parents = [RelayParent(parent)]
            let account = Account(
                name: "proxy",
                user: "jdoe",
                domain: ServerScript.domain,
                password: SharedSecret(utf8: GuardedServer.password)
            )
            let sites = profile.accounts.flatMap(\.sites) + ["\(parent)"]
            profile.sites = try SiteList(parsing: sites.map { "\($0)\n" }.joined(), name: "test")
            profile.accounts.append(.init(account, sites: ["\(parent)"]))
        }
        Self.check(result)
        let bad = try squid.takeBadLogOns()
        #expect(bad == 0)
    }

    @Test("curl over TLS, with a certificate of the user")
    func secure() async throws {
        let script = #"curl -sS --cacert root.pem "$SERVER/page.html" "$SERVER/page.html" -D -"#
        let result = try await Self.run(listen: "https://127.0.0.1:0", script: script) { _, _ in }
        #expect(result.output.contains("<p>in</p>"), "\(result.output)")
        #expect(result.counters.parentConnections == 1)
    }
}
