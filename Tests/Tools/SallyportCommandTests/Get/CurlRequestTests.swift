import Foundation
import LiveServers
import Testing

/// Options of curl whose requests or answers need more than one response: `-I`, `-L`, `-u`.
@Suite(.inTurn, .serialized, .needs(.curl)) struct CurlRequestTests {
    /// Runs curl beside a server of the test.
    private func curl(_ arguments: [String], _ folder: RequestFolder) async throws -> SallyportRun {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try SallyportRun(
                ["-sS"] + arguments,
                environment: folder.environment,
                program: URL(filePath: "/usr/bin/curl")
            )
        }
    }

    @Test("-I sends HEAD and prints the fields, as curl does") func head() async throws {
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Kind: a\r\n\r\n")
        }
        defer { server.stop() }
        let folder = try RequestFolder()
        let ours = try await folder.live(["get", "-I", "\(server.origin)/"])
        let theirs = try await curl(["-I", "\(server.origin)/"], folder)
        #expect(server.requests.map { $0.head.prefix(7) } == ["HEAD / ", "HEAD / "])
        #expect(ours.status == 0 && theirs.status == 0)
        #expect(ours.output == theirs.output.replacing("\r\n", with: "\n"), "\(ours.output)")
    }

    @Test("-L follows, as curl's does, and get follows without it") func location() async throws {
        let server = try await ScriptedServer { request in
            .send(
                request.target == "/next"
                    ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
                    : "HTTP/1.1 302 no\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n"
            )
        }
        defer { server.stop() }
        let folder = try RequestFolder()
        #expect(try await curl(["-L", "\(server.origin)/"], folder).output == "ok")
        #expect(try await folder.live(["get", "-L", "\(server.origin)/"]).output == "ok")
        #expect(try await folder.live(["get", "\(server.origin)/"]).output == "ok")
        #expect(server.requests.map(\.target) == ["/", "/next", "/", "/next", "/", "/next"])
        let none = try folder.run(["get", "-L", "--max-redirects", "0", "\(server.origin)/"])
        #expect(none.status == 2 && none.error.contains("remove it or --location"), "\(none.error)")
    }

    @Test("-u and -U name the user whose password is sent, as curl sends it", arguments: [false, true])
    func user(isProxy: Bool) async throws {
        let field = isProxy ? "Proxy-Authorization" : "Authorization"
        let server = try await ScriptedServer { request in
            request.field(field) == nil
                ? .send(
                    "HTTP/1.1 \(isProxy ? "407 no\r\nProxy" : "401 no\r\nWWW")-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"
                )
                : .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        defer { server.stop() }
        let folder = try RequestFolder()
        for user in ["first", "second"] {
            try folder.keep("Horse-of-\(user)", of: user, for: "\(server.origin)", isProxy: isProxy)
        }
        let url = isProxy ? ["http://a.example/", "-x", "\(server.origin)"] : ["\(server.origin)/"]
        let option = isProxy ? "-U" : "-u"
        for user in ["first", "second"] {
            let ours = try await folder.live(["get", option, user, "--cleartext"] + url + folder.key)
            #expect(ours.status == 0 && ours.output == "ok", "\(ours.error)")
            let theirs = try await curl([option, "\(user):Horse-of-\(user)"] + url, folder)
            #expect(theirs.output == "ok")
        }
        let sent = server.requests.compactMap { $0.field(field) }
        try #require(sent.count == 4)
        #expect(sent[0] == sent[1] && sent[2] == sent[3] && sent[0] != sent[2])
    }

    @Test("A cookie from a file does not follow a redirect to another server") func cookie() async throws {
        let other = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { other.stop() }
        let server = try await ScriptedServer { _ in
            .send("HTTP/1.1 302 no\r\nLocation: \(other.origin)/\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let folder = try RequestFolder()
        try folder.write("Cookie: id=1\n", "field")
        let run = try await folder.live(["get", "\(server.origin)/", "-H", "@\(folder.path("field"))"])
        #expect(run.status == 0 && run.output == "ok", "\(run.error)")
        #expect(server.requests.map { $0.field("Cookie") } == ["id=1"])
        #expect(other.requests.map { $0.field("Cookie") } == [nil])
    }
}
