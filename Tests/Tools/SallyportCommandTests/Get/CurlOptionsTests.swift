import Foundation
import Hostnames
import LiveServers
import Testing

/// The options that `sallyport get` shares with curl: the same request reaches the server from both.
@Suite(.inTurn, .serialized, .needs(.curl)) struct CurlOptionsTests {
    /// What both programs send for `arguments` and a URL of one server: `@text` and `@binary` name files.
    private func requests(
        _ arguments: [String],
        input: String = "",
        isProxy: Bool = false
    ) async throws -> [ScriptedServer.Request] {
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { server.stop() }
        let folder = try RequestFolder()
        try folder.write("a=1\r\nb=2\n", "text")
        try folder.write("a\r\n\0b\n", "binary")
        try folder.write("Cookie: id=1\n", "field")
        let line = arguments.map {
            $0.replacing("@text", with: "@\(folder.path("text"))").replacing(
                "@binary",
                with: "@\(folder.path("binary"))"
            )
            .replacing("@field", with: "@\(folder.path("field"))")
            .replacing("PROXY", with: "\(server.origin)")
            .replacing("PORT", with: "\(server.origin.port)")
        }
        let url = isProxy ? "http://a.example/page?x=1" : "\(server.origin)/page?x=1"
        let ours = try await folder.live(["get", url] + line, input: Array(input.utf8))
        #expect(ours.status == 0 && ours.output == "ok", "\(ours.error)")
        let curl = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try SallyportRun(
                ["-sS", url] + line,
                input: Array(input.utf8),
                environment: folder.environment,
                program: URL(filePath: "/usr/bin/curl")
            )
        }
        #expect(curl.status == 0 && curl.output == "ok", "\(curl.error)")
        return server.requests
    }

    /// Whether two requests have the same line, the same body and, but for the name of the program and for `others`, the same fields.
    private func expectSame(_ requests: [ScriptedServer.Request], _ comment: String) throws {
        try #require(requests.count == 2)
        #expect(requests[0].body == requests[1].body, "\(comment)")
        let lines = requests.map { request in
            let lines = request.head.split(separator: "\r\n").map(String.init)
            let fields = lines.dropFirst().filter { !$0.lowercased().hasPrefix("user-agent: ") }.map { field in
                let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                return parts[0].lowercased() + ":" + parts[1].trimmingPrefix(" ")
            }
            return [lines[0]] + fields.sorted()
        }
        #expect(lines[0] == lines[1], "\(comment)")
    }

    @Test(
        "The same request",
        arguments: [
            [], ["-H", "X-One: 1", "-H", "X-Two:2"], ["-HX-One: 1"], ["-H", "X-One: 1", "--header", "X-One: 2"],
            ["-H", "Accept:"], ["-H", "Accept;"], ["-H", "X-Empty;"], ["-H", "X-None:"],
            ["-H", "Content-Type: text/plain", "-d", "a"], ["-H", "Accept: text/html"],
            ["-X", "DELETE"], ["-X", "PUT", "-d", "a"], ["-XPATCH", "-da=1"], ["--request", "PUT", "--data", "a"],
            ["-d", "a=1"], ["-da=1"], ["-d", "-da=1"], ["-d@text"], ["-HX-One: a=b"], ["-d", ""], ["-d", "-"],
            ["-d", "-1"], ["-d", "a\nb"],
            ["-d", "a=1", "--data", "b=2", "-d", "@text"],
            ["-d", "@text"], ["-d", "@-"], ["--data-binary", "@binary"], ["--data-binary", "@-"],
            ["--data-binary", "a", "--data-binary", "@binary"],
            ["-H", "@field"], ["-H@field", "-HX-One: 1"], ["-n"], ["-m", "60"], ["-m60"], ["-sSL"], ["-s", "-S", "-L"],
        ]
    )
    func same(arguments: [String]) async throws {
        try expectSame(try await requests(arguments, input: "in\nput\r\n"), "\(arguments)")
    }

    @Test(
        "The same method without a body; ours says that the body is empty, which is the same request (RFC 9112 section 6.3)"
    )
    func method() async throws {
        for (arguments, line) in [(["-XPURGE"], "PURGE "), (["--request", "OPTIONS"], "OPTIONS ")] {
            let pair = try await requests(arguments)
            #expect(pair.count == 2 && pair.allSatisfy { $0.head.hasPrefix(line) && $0.body.isEmpty })
        }
    }

    @Test(
        "The same proxy, and none for an empty one",
        arguments: [["-x", "PROXY"], ["-x127.0.0.1:PORT"], ["--proxy", "PROXY/"]]
    )
    func proxied(arguments: [String]) async throws {
        let pair = try await requests(arguments, isProxy: true)
        #expect(pair.map(\.target) == ["http://a.example/page?x=1", "http://a.example/page?x=1"])
        try expectSame(try await requests(["-x", ""]), "no proxy")
    }

    @Test("A proxy without a port is at 1080", arguments: ["-x", "--proxy"]) func port(option: String) throws {
        let arguments = ["http://a.example/", option, "http://127.77.0.1"]
        let ours = try RequestFolder().run(["get"] + arguments)
        #expect(ours.error.contains("127.77.0.1:1080"), "\(ours.error)")
        let curl = try SallyportRun(["-sS"] + arguments, program: URL(filePath: "/usr/bin/curl"))
        #expect(curl.error.contains("127.77.0.1 port 1080"), "\(curl.error)")
    }

    @Test("-o writes the body to the file, and -v tells the rest on standard error", arguments: ["-v", "--verbose"])
    func outputAndVerbose(option: String) async throws {
        let server = try await ScriptedServer { _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Kind: test\r\n\r\nok")
        }
        defer { server.stop() }
        let folder = try RequestFolder()
        for (number, output) in [["-o"], ["--output"]].enumerated() {
            let file = folder.path("page\(number)")
            let run = try await folder.live(["get", option, "\(server.origin)/"] + output + [file])
            #expect(run.status == 0 && run.output.isEmpty)
            #expect(try folder.text("page\(number)") == "ok")
            #expect(run.error.contains("HTTP/1.1 200 OK\n") && run.error.contains("X-Kind: test\n"), "\(run.error)")
            #expect(run.error.contains("\noutcome   yes: \(server.origin)/: 200 OK\n"), "\(run.error)")
        }
        let joined = try await folder.live(["get", "-o\(folder.path("joined"))", "\(server.origin)/"])
        #expect(joined.status == 0 && joined.error.isEmpty)
        #expect(try folder.text("joined") == "ok")
    }

    @Test("A value that is joined with its option is shown in no error") func joinedSecret() throws {
        let run = try RequestFolder().run(["get", "http://127.0.0.1:1/", "-HAuthorization: Basic aHVudGVyMg=="])
        #expect(run.status == 2 && run.error.contains("Authorization holds a secret"), "\(run.error)")
        #expect(!run.error.contains("aHVudGVyMg"))
    }
}
