import Foundation
import Hostnames
import LiveServers
import SPKIPins
import SwiftASN1
import Testing
import X509

/// The stories that `sallyport explain` tells.
@Suite(.inTurn, .serialized, .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP)) struct ExplainCommandTests {
    private static func steps(_ run: SallyportRun) throws -> [[String: Any]] {
        try run.output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
    }

    private static func topics(_ steps: [[String: Any]]) -> [String] { steps.compactMap { $0["step"] as? String } }

    @Test("Digest with a profile: each step in its order") func digest() async throws {
        let server = try await GuardedServer.started(.apacheDigest)
        let folder = try RequestFolder()
        let url = "\(try server.address())"
        try folder.profile(GuardedServer.password, at: url, schemes: "digest")
        let arguments = ["explain", "\(url)\(server.page(1))", "--profile", folder.path("profile.yaml")]
        let run = try await folder.live(arguments + ["--json"])
        let steps = try Self.steps(run)
        #expect(run.status == 0)
        #expect(
            Self.topics(steps) == [
                "site", "account", "proxy", "request", "response", "scheme", "answer", "response", "lockout", "end",
                "outcome",
            ]
        )
        #expect(steps[0]["line"] as? Int == 1 && steps[0]["verdict"] as? String == "allowed")
        #expect(steps[1]["account"] as? String == "account" && steps[1]["user"] as? String == "jdoe")
        #expect(steps[4]["status"] as? Int == 401 && steps[4]["offers"] as? [String] == ["digest"])
        #expect(steps[5]["chosen"] as? String == "digest")
        #expect(steps[9]["outcome"] as? String == "accepted")
        #expect(steps[10]["answer"] as? String == "yes" && steps[10]["status"] as? Int == 200)
        let table = try await folder.live(arguments)
        #expect(table.status == 0 && table.output.contains("\nscheme    digest answers \(url) as 'account'"))
        #expect(table.output.hasSuffix("outcome   yes: \(url)\(server.page(1)): 200 OK\n"))
        #expect(!folder.written.contains(GuardedServer.password))
    }

    @Test("NTLM: the handshake keeps its connection, and a wrong password is told with its remedy") func ntlm()
        async throws
    {
        let server = try await GuardedServer.started(.apacheNTLM)
        let folder = try RequestFolder()
        let url = "\(try server.address())"
        try folder.profile("Wrong-Horse", at: url, schemes: "ntlm", domain: "ACME")
        let run = try await folder.live([
            "explain", "\(url)\(server.page(1))", "--profile", folder.path("profile.yaml"), "--json",
        ])
        let steps = try Self.steps(run)
        #expect(run.status == 1 && run.error.isEmpty)
        #expect(try server.takeBadLogOns() == 1)
        let offers = steps.first { $0["step"] as? String == "scheme" }?["offers"] as? [[String: String]]
        #expect(offers?.contains(["scheme": "negotiate", "fate": "not-allowed"]) == true)
        let connections = steps.compactMap { $0["connection"] as? String }
        #expect(connections.suffix(3) == ["connection 1, new", "connection 1, reused", "connection 1, reused"])
        let last = try #require(steps.last)
        #expect(last["answer"] as? String == "no" && last["refusal"] as? String == "credentials-refused")
        #expect((last["text"] as? String)?.hasSuffix("the password of 'account' was refused: update it") == true)
        #expect(!folder.written.contains("Wrong-Horse"))
    }

    @Test("A token that is refused, and one that is missing, are called tokens", arguments: [true, false])
    func tokens(isThere: Bool) async throws {
        let server = try await ScriptedServer { _ in
            .send("HTTP/1.1 401 no\r\nWWW-Authenticate: Bearer realm=\"x\"\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let folder = try RequestFolder()
        try folder.write("t0ken", "token")
        let account =
            "\naccounts: [{ name: api, token: { file: token }, sites: [\"\(server.origin)\"], cleartext: true }]"
        let profile = "version: 1\nsites: [\"\(server.origin)\"]\nschemes: [bearer]\(isThere ? account : "")\n"
        try folder.write(profile, "profile.yaml")
        let arguments = ["explain", "\(server.origin)/", "--profile", folder.path("profile.yaml"), "--json"]
        let run = try await folder.live(arguments)
        let last = try #require(try Self.steps(run).last)
        #expect(run.status == 1 && last["refusal"] as? String == (isThere ? "token-refused" : "no-credential"))
        let text = try #require(last["text"] as? String)
        #expect(text.contains(isThere ? "the token of 'api' was refused" : "the server asks for a token"))
        #expect(!run.output.contains("password") && !folder.written.contains("t0ken"))
    }

    @Test("A site that the profile does not allow gets nothing, and the story says why") func site() async throws {
        let server = try await GuardedServer.started(.apacheBasic)
        let folder = try RequestFolder()
        try folder.profile(GuardedServer.password, at: "https://wiki.example", schemes: "basic")
        let url = "\(try server.address())\(server.page(1))"
        let run = try await folder.live(["explain", url, "--profile", folder.path("profile.yaml"), "--json"])
        let steps = try Self.steps(run)
        #expect(run.status == 1)
        #expect(steps.first?["verdict"] as? String == "denied" && steps.first?["rule"] is NSNull)
        #expect(steps.last?["refusal"] as? String == "site-not-allowed")
        #expect(!Self.topics(steps).contains("answer"))
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("The store is named as the place of the password, and the weaker offer is passed over") func offers()
        async throws
    {
        let server = try await ScriptedServer { request in
            guard request.field("Authorization") == nil else {
                return .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
            return .send(
                """
                HTTP/1.1 401 no\r\nWWW-Authenticate: Basic realm="x"\r\n\
                WWW-Authenticate: Digest realm="x", nonce="n", qop="auth", algorithm=SHA-256\r\nContent-Length: 0\r\n\r\n
                """
            )
        }
        defer { server.stop() }
        let folder = try RequestFolder()
        try folder.keep("Correct-Horse", of: "jdoe", for: "\(server.origin)")
        let run = try await folder.live(["explain", "\(server.origin)/", "--cleartext", "--json"] + folder.key)
        let steps = try Self.steps(run)
        #expect(run.status == 0, "\(run.error)")
        let password = steps.first { $0["step"] as? String == "password" }
        #expect(password?["place"] as? String == "the store \(folder.path("data/sallyport/credentials"))")
        #expect(password?["user"] as? String == "jdoe")
        let offers = steps.last { $0["step"] as? String == "scheme" }?["offers"] as? [[String: String]]
        #expect(
            offers == [
                ["scheme": "basic", "fate": "less-preferred"], ["scheme": "digest", "fate": "chosen"],
            ]
        )
        #expect(!folder.written.contains("Correct-Horse"))
    }

    @Test("A server with another key than the pinned one is refused before a byte of the request", .needs(.nginx))
    func pins() async throws {
        let (root, other) = (try TestAuthority("Root"), try TestAuthority("Other"))
        let leaf = try root.leaf("localhost")
        let nginx = try await NginxWithClients(
            leaf,
            clients: root.own.certificate,
            verify: "optional",
            version: "TLSv1.3"
        )
        let receiver = try await ScriptedServer { _ in .sendAndClose("HTTP/1.1 204 No Content\r\n\r\n") }
        defer { receiver.stop() }
        let folder = try RequestFolder()
        try folder.write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
        let url = "https://localhost:\(nginx.port)"
        let arguments = [
            "explain", "\(url)/", "--profile", folder.path("profile.yaml"), "--cacert", folder.path("root.pem"),
            "--json",
        ]
        for (pinned, status) in [(root.own, Int32(0)), (other.own, 1)] {
            let digits = "\(try pinned.pin)".dropFirst("sha256/".count)
            try folder.profile(
                "x",
                at: url,
                schemes: "digest",
                more: """
                    pins:
                      - host: localhost
                        pins: [{ sha256: "\(digits)", position: anchor }]
                        withoutBackup: "a test"
                    pinReports: \(receiver.origin)/reports
                    """
            )
            let run = try await folder.live(arguments)
            let steps = try Self.steps(run)
            #expect(run.status == status, "\(run.output) \(run.error)")
            #expect(steps.first { $0["step"] as? String == "trust" }?["pinned"] as? String == "yes")
            let judged = steps.first { $0["step"] as? String == "server" }?["text"] as? String
            #expect(judged?.contains(status == 0 ? "has a pinned key" : "pin-mismatch") == true, "\(judged ?? "")")
            #expect(Self.topics(steps).contains("response") == (status == 0))
            let outcome = try #require(steps.last?["text"] as? String)
            let advice =
                "its own key is \(try leaf.pin): if its operator confirms that key, add it to the pins of localhost"
            #expect(outcome.contains(advice) == (status == 1), "\(outcome)")
            let unchecked = steps.first { $0["step"] as? String == "unchecked" }?["checks"] as? [String]
            #expect(unchecked == ["ocsp", "crl", "certificate-transparency"])
            // The program has ended, so the report has come.
            #expect(receiver.requests.map(\.target) == (status == 0 ? [] : ["/reports"]))
            #expect(receiver.requests.first?.body.contains("\"hostname\":\"localhost\"") ?? (status == 0))
        }
    }

    @Test("The key of a server that is not trusted is shown, and a profile can trust it", .needs(.nginx))
    func untrusted() async throws {
        let root = try TestAuthority("Root")
        let leaf = try root.leaf("localhost")
        let nginx = try await NginxWithClients(
            leaf,
            clients: root.own.certificate,
            verify: "optional",
            version: "TLSv1.3"
        )
        let folder = try RequestFolder()
        let url = "https://localhost:\(nginx.port)"
        let run = try await folder.live(["explain", "\(url)/", "--json"])
        let steps = try Self.steps(run)
        #expect(run.status == 1 && run.error.isEmpty, "\(run.error)")
        let server = try #require(steps.first { $0["step"] as? String == "server" })
        #expect(server["key"] as? String == "\(try leaf.pin)")
        #expect((steps.last?["text"] as? String)?.contains("--cacert") == true)
        let digits = "\(try leaf.pin)".dropFirst("sha256/".count)
        try folder.profile(
            "x",
            at: url,
            schemes: "digest",
            more: """
                trustedKeys:
                  - host: localhost
                    sha256: "\(digits)"
                    until: 2099-01-01T00:00:00Z
                """
        )
        let trusted = try await folder.live(["get", "\(url)/", "--profile", folder.path("profile.yaml")])
        #expect(trusted.status == 0 && trusted.output.hasPrefix("NONE "), "\(trusted.error)")
    }

    @Test("get tells the same story on standard error") func get() async throws {
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nin") }
        defer { server.stop() }
        let run = try await RequestFolder().live(["get", "--explain", "\(server.origin)/"])
        #expect(run.status == 0 && run.output == "in")
        #expect(run.error.contains("\nend       no HTTP authentication was asked for\n"), "\(run.error)")
        #expect(run.error.hasSuffix("outcome   yes: \(server.origin)/: 200 OK\n"), "\(run.error)")
    }
}
