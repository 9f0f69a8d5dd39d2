import Foundation
import LiveServers
import Sallyport
import Testing

/// The snippets for clients, over https at a real server.
@Suite(.inTurn, .serialized, .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP, .haproxy)) struct ClientSnippetTests {
    private static let spare = "sha256/OAOs83VDVIaXgiAZaucBZVZOmkrUnBgCYBuwTWNZAT8="

    @Test(
        "Each client gets the page with its defaults",
        arguments: ["async-http-client", "url-session", "nio"],
        GuardedServer.Kind.apache
    )
    func clients(snippet: String, kind: GuardedServer.Kind) async throws {
        let (host, server) = (try SnippetHost(), try await GuardedServer.started(kind))
        #expect(try await host.lines(snippet, server) == ["200"])
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("The page of SallyportClient gets a body", arguments: GuardedServer.Kind.apache)
    func pageOfClient(kind: GuardedServer.Kind) async throws {
        let (host, server) = (try SnippetHost(), try await GuardedServer.started(kind))
        #expect(try await host.lines("page-of-client", server) == ["200, a body"])
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("AsyncHTTPClient as its page makes it reads the file of the system", .needs(.namespaces))
    func pageOfAsyncHTTPClient() async throws {
        let (host, server) = (try SnippetHost(), try await GuardedServer.started(.apacheDigest))
        #expect(try await host.lines("page-of-async-http-client", server, system: "root.pem") == ["200"])
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("Through a proxy that asks, a tunnel leads to an https site", .needs(.squid))
    func proxy() async throws {
        let (host, squid) = (try SnippetHost(), try await GuardedServer.started(.squidDigest))
        let haproxy = try await HAProxyWithTLS(host.leaf, server: squid.openOrigin.port)
        let url = "https://localhost:\(haproxy.port)\(squid.page(1))"
        #expect(try host.lines("proxy", url: url, scheme: .digest, ["\(squid.address())"]) == ["200"])
        #expect(try squid.takeBadLogOns() == 0)
    }

    @Test("The loop of Getting started answers NTLM on one connection, with its binding") func loop() async throws {
        let (host, server) = (try SnippetHost("wiki.acme.example"), try await GuardedServer.started(.apacheNTLM))
        let haproxy = try await host.secured(server)
        let url = "https://localhost:\(haproxy.port)\(server.page(1))"
        #expect(try host.lines("loop", url: url) == ["200, accepted, 3 requests"])
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("The outcome says why nothing was sent") func outcome() async throws {
        let (host, server) = (try SnippetHost(), try await GuardedServer.started(.apacheDigest))
        #expect(
            try await host.lines("nio-without-account", server) == [
                "origin, 401 Unauthorized: \(Refusal.noCredential)", "401",
            ]
        )
    }

    @Test("The right pin gets the page") func pins() async throws {
        let (host, server) = (try SnippetHost(), try await GuardedServer.started(.apacheDigest))
        let pin = try host.leaf.pin
        #expect(try await host.lines("pinned", server, ["\(pin)", Self.spare]) == ["200"])
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("A wrong pin is an error, and the server sees no log-on") func wrongPin() async throws {
        let (host, server) = (try SnippetHost(), try await GuardedServer.started(.apacheDigest))
        let wrong = try host.root.leaf("localhost").pin
        let printed = try await host.lines("pinned", server, ["\(wrong)", Self.spare])
        #expect(printed.count == 1)
        #expect(printed.first?.hasPrefix("error https://localhost:") == true, "\(printed)")
        #expect(printed.first?.contains(": the server has no pinned key: ") == true, "\(printed)")
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test(
        "Without the roots of the system one line says so, with the file and the remedy",
        arguments: ["nio", "url-session"]
    )
    func noRoots(snippet: String) async throws {
        let (host, server) = (try SnippetHost(), try await GuardedServer.started(.apacheDigest))
        let printed = try await host.lines(snippet, server, roots: "missing.pem")
        let problem = "cannot read '\(host.path("missing.pem"))': No such file or directory"
        let remedy = "correct SSL_CERT_FILE, which names the file"
        #expect(printed.count == 1, "\(printed)")
        #expect(printed.first?.hasPrefix("error https://localhost:") == true, "\(printed)")
        #expect(
            printed.first?.hasSuffix(": the roots of the system are missing: \(problem): \(remedy)") == true,
            "\(printed)"
        )
    }

    @Test("Without a variable the file of the system counts", .needs(.namespaces)) func systemFile() async throws {
        let (host, server) = (try SnippetHost(), try await GuardedServer.started(.apacheDigest))
        #expect(try await host.lines("nio", server, system: "root.pem") == ["200"])
    }

    @Test("A Debian without the package ca-certificates says what to install", .needs(.namespaces))
    func noPackage() async throws {
        let (host, server) = (try SnippetHost(), try await GuardedServer.started(.apacheDigest))
        let printed = try await host.lines("nio", server, system: "no.pem")
        #expect(printed.count == 1, "\(printed)")
        #expect(printed.first?.contains("cannot read '\(SnippetHost.place)': ") == true, "\(printed)")
        #expect(printed.first?.contains(": install the package ca-certificates, or name ") == true, "\(printed)")
    }
}
