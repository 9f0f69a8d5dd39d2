import Foundation
import Hostnames
import LiveServers
import TestSupport
import Testing

/// The commands of the page "Behind a corporate proxy", in their order, as a person types them.
@Suite(.inTurn, .needs(.squid, .winbind, .python)) struct BehindACorporateProxyTests {
    private struct Result: Decodable {
        let asked: Int
        let statuses: [Int]
        let exit: Int32?
        let shown: String
    }

    private static let repository = URL(filePath: #filePath).appending(path: "../../../../..").standardized

    /// The lines of the page's shell blocks that start the command, up to the part about tickets.
    private static func commands() throws -> [String] {
        let page = repository.appending(
            path: "Sources/Services/SallyportRelay/SallyportRelay.docc/BehindACorporateProxy.md"
        )
        let text = try String(contentsOf: page, encoding: .utf8)
        let part = text.components(separatedBy: "## Start it with a ticket")
        #expect(part.count == 2)
        let blocks = part[0].components(separatedBy: "```sh\n").dropFirst()
        return blocks.flatMap { $0.components(separatedBy: "```")[0].split(separator: "\n") }.map(String.init)
            .filter { $0.hasPrefix("sallyport ") }
    }

    @Test("They work one after the other: check, start, a key file, start without a person, a new password")
    func commandsInOrder() async throws {
        let squid = try await GuardedServer.started(.squidNTLM)
        let (address, origin) = (try squid.address(), try squid.openOrigin)
        let page = "\(origin)\(squid.page(1))"
        let folder = try StoreFolder()
        let commands = try Self.commands().map { command in
            let here = command.replacing("proxy.corp.example:8080", with: "localhost:\(address.port)")
                .replacing("http://deb.debian.org/", with: page)
            // The page's own port may be taken, and the server behind this Squid is on loopback.
            return here.hasPrefix("sallyport relay ")
                ? here + " --listen 127.0.0.1:0 --allow-destination 127.0.0.1" : here
        }
        #expect(commands.count == 5)
        let script = HelperFile.url("page_commands.py")
        let run = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try SallyportRun(
                [
                    "python3", script.path(percentEncoded: false), folder.path(""), page, #"ACME\jdoe"#,
                    GuardedServer.password,
                ] + commands,
                environment: [
                    "PATH": SallyportRun.executable.deletingLastPathComponent().path
                        + ":\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
                ],
                program: URL(filePath: "/usr/bin/env")
            )
        }
        let results = try JSONDecoder().decode([Result].self, from: Data(run.output.utf8))
        try #require(results.count == 5, "\(run.error)")
        // Passphrase twice, name and password; the passphrase; the passphrase; nothing; the password.
        #expect(results.map(\.asked) == [4, 1, 1, 0, 1], "\(results)")
        #expect(results.map(\.statuses) == [[], [200, 200], [], [200, 200], []], "\(results)")
        #expect(results.map(\.exit) == [0, 0, 0, 0, 0], "\(results)")
        #expect(results[0].shown.contains("yes  request  \(page): status 200"))
        #expect(results[0].shown.contains(#"yes  log-on   the parent lets ACME\jdoe pass, typed at the terminal"#))
        #expect(results[2].shown.contains("made the key file "))
        #expect(results[4].shown.contains(#"kept the password of ACME\jdoe for the proxy http://localhost:"#))
        #expect(!run.output.contains(GuardedServer.password))
        #expect(try squid.takeBadLogOns() == 0)
    }
}
