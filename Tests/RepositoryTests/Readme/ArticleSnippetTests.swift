import Foundation
import LiveServers
import Sallyport
import SwiftASN1
import TestSupport
import Testing
import X509

/// The snippets of the facade's articles and of those about porting, over https at a real server.
@Suite(.inTurn, .serialized, .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP, .haproxy)) struct ArticleSnippetTests {
    @Test("With a store the password is found, used and forgotten") func asking() async throws {
        let (host, server) = (try SnippetHost(), try await GuardedServer.started(.apacheDigest))
        #expect(try await host.lines("asking", server) == ["200, 1 record left the store"])
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("A person trusts a server that no authority vouches for", .row(67, 73)) func trusting() async throws {
        let (host, server) = (try SnippetHost(), try await GuardedServer.started(.apacheDigest))
        try host.write(TestAuthority("Another root").own.certificate.serializeAsPEM().pemString, "other.pem")
        let printed = try await host.lines("trusting", server, roots: "other.pem")
        #expect(printed.count == 2 && printed.last == "200", "\(printed)")
        let pin = try host.leaf.pin
        #expect(printed.first?.hasPrefix("asked about https://localhost:") == true, "\(printed)")
        #expect(printed.first?.hasSuffix("the key of the server is \(pin)") == true, "\(printed)")
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("At the terminal nobody is asked about a server that an authority vouches for") func terminal() async throws {
        let (host, server) = (try SnippetHost(), try await GuardedServer.started(.apacheDigest))
        #expect(try await host.lines("at-the-terminal", server) == ["200"])
    }

    @Test("Events become lines of a log, and a transcript that replay takes") func events() async throws {
        let (host, server) = (try SnippetHost(), try await GuardedServer.started(.apacheDigest))
        let printed = try await host.lines("events", server)
        #expect(printed.last == "200")
        #expect(printed.contains { $0.hasPrefix("debug: ") }, "\(printed)")
        let replay = try HelperProcess([BuiltProgram.sallyport, "replay", host.path("transcript.ndjson"), "--json"])
        var last = ""
        while let line = try? replay.readLine() { last = line }
        #expect(last.contains(#""differences":0"#), "\(last)")
    }

    @Test("The ported delegate sends a wrong password once, asks, and gets the page", .needs(.namespaces))
    func controller() async throws {
        let (host, server) = (try SnippetHost(), try await GuardedServer.started(.apacheBasic))
        // URLSession on Linux reads the file of the system and no variable.
        #expect(try await host.lines("aw-controller", server, system: "root.pem") == ["asked for jdoe", "200"])
        #expect(try server.takeBadLogOns() == 1)
    }

    @Test(
        "The controller answers at its sites, and the application's own answer goes to the others",
        .row(27),
        .needs(.namespaces)
    )
    func fallback() async throws {
        let host = try SnippetHost()
        let (listed, other) = (
            try await GuardedServer.started(.apacheBasic), try await GuardedServer.started(.apacheBasic)
        )
        let secured = try await host.secured(other)
        try host.write("Other-Horse", "other")
        // Only ada may see it, so the answer was the application's.
        let more = ["https://localhost:\(secured.port)\(other.forbiddenPage)", "ada", host.path("other")]
        let printed = try await host.lines("repository-delegate", listed, system: "root.pem", more)
        #expect(printed == ["200", "asked at localhost", "200"])
        #expect(try listed.takeBadLogOns() == 0 && other.takeBadLogOns() == 0)
    }
}

/// The snippets about client certificates at nginx, which is OpenSSL, with identities in files of OpenSSL.
@Suite(.inTurn, .serialized, .needs(.nginx, .openssl)) struct CertificateSnippetTests {
    /// Writes a `.p12` file whose passphrase is the one in the file `password`.
    private static func makeFile(_ name: String, _ pair: ClientPair, _ host: SnippetHost) throws {
        try host.write(pair.pem, "\(name).pem")
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/env")
        openssl.arguments = [
            "openssl", "pkcs12", "-export", "-in", host.path("\(name).pem"), "-passout",
            "file:\(host.path("password"))",
            "-out", host.path("\(name).p12"),
        ]
        openssl.standardInput = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        #expect(openssl.terminationStatus == 0)
    }

    @Test(
        "One identity is presented",
        arguments: ["presenting", "renewing", "certificate-of-async-http-client"]
    )
    func one(snippet: String) async throws {
        let (host, clients) = (try SnippetHost(), try TestAuthority("Clients"))
        let nginx = try await NginxWithClients(
            host.leaf,
            clients: clients.own.certificate,
            verify: "on",
            version: "TLSv1.3"
        )
        // Not so near its end that the watch warns.
        try Self.makeFile("laptop", clients.client("laptop", end: Date() + 400 * 86_400), host)
        try host.write(GuardedServer.password, "passphrase")
        let printed = try host.lines(snippet, url: "https://localhost:\(nginx.port)/")
        #expect(printed == ["200 SUCCESS CN=laptop"])
    }

    @Test("The file that ClientCertificates.md names is read") func file() throws {
        let host = try SnippetHost()
        try Self.makeFile("laptop", TestAuthority("Clients").client("laptop"), host)
        try host.write(GuardedServer.password, "laptop.passphrase")
        #expect(try host.lines("client-identities", url: "https://localhost/") == ["laptop"])
    }

    @Test("The sources of CredentialSources.md find an account in .netrc") func netrc() throws {
        let host = try SnippetHost()
        let file = "machine wiki.example login jdoe password \(GuardedServer.password)\n"
        try host.write(file, ".netrc")
        #expect(try host.lines("credential-sources", url: "https://localhost/") == ["jdoe"])
    }

    @Test("Of two identities that fit a person picks one") func two() async throws {
        let (host, clients) = (try SnippetHost(), try TestAuthority("Clients"))
        let nginx = try await NginxWithClients(
            host.leaf,
            clients: clients.own.certificate,
            verify: "on",
            version: "TLSv1.3"
        )
        for name in ["first", "second"] { try Self.makeFile(name, clients.client(name), host) }
        let printed = try host.lines("choosing", url: "https://localhost:\(nginx.port)/")
        #expect(printed == ["CN=first, CN=second", "200 SUCCESS CN=second"])
    }
}
