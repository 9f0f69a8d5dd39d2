import Foundation
import Hostnames
import LiveServers
import Testing

/// What `sallyport get` does with requests, bodies and files, at scripted servers.
@Suite(.inTurn, .serialized) struct GetCommandTests {
    private static func ok(_ body: String) -> ScriptedServer.Reply {
        .send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nX-Kind: test\r\n\r\n\(body)")
    }

    private static let challenge = "HTTP/1.1 401 no\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"

    // MARK: The response

    @Test("The file is replaced, and keeps its permissions") func output() async throws {
        let server = try await ScriptedServer { _ in Self.ok("new") }
        defer { server.stop() }
        let folder = try RequestFolder()
        try folder.write("old, and longer", "page", mode: 0o600)
        let run = try await folder.live(["get", "\(server.origin)/", "--output", folder.path("page"), "--json"])
        #expect(run.status == 0, "\(run.error)")
        #expect(try folder.text("page") == "new")
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path("page"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let json = try run.json()
        #expect(json["status"] as? Int == 200 && json["bytes"] as? Int == 3)
        #expect(json["authentication"] as? String == "not-challenged" && json["problem"] is NSNull)
    }

    @Test("An answer that is no success leaves the file as it was") func noSuccess() async throws {
        let server = try await ScriptedServer { _ in
            .send("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone")
        }
        defer { server.stop() }
        let folder = try RequestFolder()
        try folder.write("old", "page")
        let run = try await folder.live(["get", "\(server.origin)/a?secret=1", "--output", folder.path("page")])
        #expect(
            run.status == 1
                && run.error == "sallyport get: \(server.origin)/a: 404 Not Found: "
                    + "the server has no such page: check the URL\n"
        )
        #expect(try folder.text("page") == "old" && folder.names == ["page"])
        let shown = try await folder.live(["get", "\(server.origin)/a"])
        #expect(shown.status == 1 && shown.output == "gone")
    }

    @Test("A body that is cut off leaves the file as it was, and ends with 2") func cutOff() async throws {
        let server = try await ScriptedServer { _ in
            .sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        }
        defer { server.stop() }
        let folder = try RequestFolder()
        try folder.write("old", "page")
        let run = try await folder.live(["get", "\(server.origin)/", "--output", folder.path("page")])
        #expect(run.status == 2 && run.error.split(separator: "\n").count == 1, "\(run.error)")
        #expect(try folder.text("page") == "old" && folder.names == ["page"])
    }

    @Test("A signal removes what was written") func signal() async throws {
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf") }
        defer { server.stop() }
        let folder = try RequestFolder()
        try folder.write("old", "page")
        // Foundation starts children with signals blocked.
        let script = """
            import glob, os, signal, subprocess, sys, time
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.chdir(sys.argv[1])
            child = subprocess.Popen(sys.argv[2:])
            for _ in range(6000):
                if any(os.path.getsize(name) for name in glob.glob(".page.sallyport-*")): break
                time.sleep(0.05)
            print(len(glob.glob(".page.sallyport-*")))
            child.terminate()
            try: print(child.wait(1200))
            finally: child.kill()
            """
        let run = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try SallyportRun(
                [
                    "-c", script, folder.path(""), SallyportRun.executable.path, "get", "\(server.origin)/", "--output",
                    "page",
                ],
                environment: folder.environment,
                program: URL(filePath: "/usr/bin/python3")
            )
        }
        #expect(run.output == "1\n-15\n", "\(run.output) \(run.error)")
        #expect(try folder.text("page") == "old" && folder.names == ["page"])
    }

    @Test("HEAD shows the status line and the fields") func head() async throws {
        let server = try await ScriptedServer { _ in
            .send("HTTP/1.1 200 OK\r\nX-Kind: test\r\nContent-Length: 9\r\n\r\n")
        }
        defer { server.stop() }
        let run = try await RequestFolder().live(["get", "--head", "\(server.origin)/"])
        #expect(run.status == 0 && run.output == "HTTP/1.1 200 OK\nX-Kind: test\nContent-Length: 9\n\n", "\(run.error)")
        #expect(server.requests.map(\.head).allSatisfy { $0.hasPrefix("HEAD / HTTP/1.1") })
    }

    @Test("Hundreds of megabytes pass in bounded memory") func large() async throws {
        let length = 256 << 20
        let server = try await ScriptedServer { _ in .pour("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n") }
        defer { server.stop() }
        let measured = """
            import resource, subprocess, sys
            ended = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE)
            print(ended.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, ended.stdout.decode())
            """
        let folder = try RequestFolder()
        let run = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try SallyportRun(
                [
                    "-c", measured, SallyportRun.executable.path, "get", "\(server.origin)/", "--json", "--output",
                    "/dev/null",
                ],
                environment: folder.environment,
                program: URL(filePath: "/usr/bin/python3")
            )
        }
        let words = run.output.split(separator: " ", maxSplits: 2)
        try #require(words.count == 3, "\(run.error)")
        #expect(words[0] == "0" && words[2].contains("\"bytes\":\(length)"), "\(run.output)")
        let kilobytes = try #require(Int(words[1]))
        #expect(kilobytes < 128 << 10)
    }

    // MARK: Places that cannot be written, servers that are not there

    @Test("What cannot be written ends with 2, before anything is sent to the server") func unwritable() async throws {
        let server = try await ScriptedServer { _ in Self.ok("page") }
        defer { server.stop() }
        let folder = try RequestFolder()
        let run = try await folder.live(["get", "\(server.origin)/", "--output", folder.path("no/page")])
        #expect(run.status == 2 && run.error.contains("no/page: cannot be written"), "\(run.error)")
        #expect(server.requests.isEmpty)
        let script = "\"$SALLYPORT\" get \(server.origin)/ >/dev/full; echo $?"
        let full = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try SallyportRun(shell: script, in: URL(filePath: folder.path("")))
        }
        #expect(full.output == "2\n" && full.error.contains("standard output: cannot be written (No space left"))
    }

    @Test("No server, a server that says nothing") func noServer() async throws {
        let port = try ServerPort.take()
        let folder = try RequestFolder()
        let none = try await folder.live(["get", "http://127.0.0.1:\(port)/", "--json"])
        #expect(none.status == 2 && none.error.contains("no connection"), "\(none.error)")
        #expect(try none.json()["status"] is NSNull)
        let unknown = try await folder.live(["get", "http://no-such.invalid/"])
        #expect(
            unknown.status == 2 && unknown.error.contains("no connection: the name cannot be resolved: "),
            "\(unknown.error)"
        )
        #expect(!unknown.error.contains("Error"), "\(unknown.error)")
        let server = try await ScriptedServer { _ in .hang }
        defer { server.stop() }
        let silent = try await folder.live(["get", "\(server.origin)/", "--max-time", "0.5"])
        #expect(silent.status == 2 && silent.error.contains("the time limit of 0.5 s is over"), "\(silent.error)")
    }

    @Test("What is wrong is said in words, with what to do", arguments: Fault.allCases)
    func texts(fault: Fault) async throws {
        let folder = try RequestFolder()
        let closed = "http://127.0.0.1:\(try ServerPort.take())"
        let server = try await ScriptedServer { _ in
            fault == .cut
                ? .sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
                : .send("HTTP/1.1 200 OK\r\nA B: c\r\n\r\n")
        }
        defer { server.stop() }
        let here = "\(server.origin)/"
        let (arguments, text) =
            switch fault {
            case .proxyIsNotThere:
                (["http://a.example/", "--proxy", closed], "\(closed): no connection: Connection refused: check")
            case .tunnelProxyIsNotThere:
                (["https://a.example/", "--proxy", closed], "\(closed): no connection: Connection refused: check")
            case .badField: ([here], "the response is not HTTP/1.1 (")
            case .cut: ([here], "the connection was closed before the response ended: try again")
            case .timeLimit: ([here, "--max-time", "-1"], "--max-time takes 0 to 86400 seconds")
            case .proxyVariable: ([here], "http_proxy: a '%' before '@' begins no escape")
            }
        let variables = fault == .proxyVariable ? ["http_proxy": "http://jdoe:a%zz@127.0.0.1:1"] : [:]
        let run = try await folder.live(["get"] + arguments, environment: variables)
        #expect(run.status == 2 && run.error.contains(text), "\(run.error)")
        #expect(run.error.split(separator: "\n").count == 1 && !run.error.contains("Error("), "\(run.error)")
    }

    @Test("A proxy that closes, as one does that expects TLS, is named with the remedy", arguments: ["http", "https"])
    func proxyCloses(scheme: String) async throws {
        let folder = try RequestFolder()
        let proxy = try await ScriptedServer { _ in .close }
        defer { proxy.stop() }
        let url = "\(scheme)://web.test/"
        let remedy = "; if the proxy speaks TLS, write \("\(proxy.origin)".replacing("http://", with: "https://"))"
        let runs = [
            try await folder.live(["get", url, "--proxy", "127.0.0.1:\(proxy.origin.port)"]),
            try await folder.live(["get", url], environment: ["\(scheme)_proxy": "\(proxy.origin)"]),
        ]
        for run in runs {
            #expect(run.status == 2 && run.error.contains("\(proxy.origin): "), "\(run.error)")
            #expect(run.error.contains(remedy) && !run.error.contains("web.test"), "\(run.error)")
        }
    }

    @Test(
        "A proxy that has challenged speaks HTTP, so that TLS is no remedy when it closes or sends garbage, and the server is not blamed",
        arguments: ["http", "https"],
        [.close, .reset, .send("\u{15}\u{3}\u{3}\r\n"), .sendAndClose("HTT")] as [ScriptedServer.Reply]
    ) func failsLater(scheme: String, end: ScriptedServer.Reply) async throws {
        let proxy = try await ScriptedServer { request in
            guard request.field("Proxy-Authorization") == nil else { return end }
            return .send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n")
        }
        defer { proxy.stop() }
        let run = try await RequestFolder().live(
            ["get", "\(scheme)://web.test/", "--cleartext"],
            environment: ["\(scheme)_proxy": "http://jdoe:Correct-Horse@127.0.0.1:\(proxy.origin.port)"]
        )
        #expect(run.status == 2 && run.error.contains("\(proxy.origin): "), "\(run.error)")
        #expect(!run.error.contains("TLS") && !run.error.contains("web.test"), "\(run.error)")
    }

    @Test("A refusal is told also if its page is cut off or does not end", arguments: [true, false])
    func unfinishedRefusal(isCut: Bool) async throws {
        let page = Self.challenge.replacing("Content-Length: 0\r\n\r\n", with: "Content-Length: 99\r\n\r\nhalf")
        let server = try await ScriptedServer { request in
            if request.field("Authorization") == nil { return .send(Self.challenge) }
            return isCut ? .sendAndClose(page) : .send(page)
        }
        defer { server.stop() }
        let folder = try RequestFolder()
        try folder.keep("Wrong-Horse", of: "jdoe", for: "\(server.origin)")
        let run = try await folder.live(["get", "\(server.origin)/", "--cleartext"] + folder.key)
        #expect(run.status == 1 && run.output == "half", "\(run)")
        let isTold = run.error.contains(": 401 Unauthorized: ") && run.error.contains(" was refused: ")
        #expect(isTold && run.error.contains("; its page did not come whole"), "\(run.error)")
    }

    enum Fault: CaseIterable {
        case proxyIsNotThere, tunnelProxyIsNotThere, badField, cut, timeLimit, proxyVariable
    }

    // MARK: The request

    @Test(
        "A body of each kind arrives, and arrives again after a challenge",
        arguments: ["text", "@short", "@long", "@-"]
    )
    func data(argument: String) async throws {
        let server = try await ScriptedServer { request in
            request.field("Authorization") == nil ? .send(Self.challenge) : Self.ok("taken")
        }
        defer { server.stop() }
        let folder = try RequestFolder()
        let long = String(repeating: "0123456789abcdef", count: 20_000)
        let isStream = argument == "@-"
        let body = argument == "@long" || isStream ? long : "text"
        let isFile = argument.hasPrefix("@") && !isStream
        if isFile { try folder.write(body, String(argument.dropFirst())) }
        try folder.keep("Correct-Horse", of: "jdoe", for: "\(server.origin)")
        let data = isFile ? "@\(folder.path(String(argument.dropFirst())))" : argument
        let run = try await folder.live(
            ["get", "\(server.origin)/", "--cleartext", "--data-binary", data, "--header", "X-Trace: 7"] + folder.key,
            input: isStream ? Array(long.utf8) : []
        )
        #expect(run.status == 0 && run.output == "taken", "\(run.error)")
        let last = try #require(server.requests.last)
        #expect(last.body == body && last.head.hasPrefix("POST / HTTP/1.1"))
        #expect(last.field("X-Trace") == "7")
        #expect(last.field("Authorization") == "Basic \(Data("jdoe:Correct-Horse".utf8).base64EncodedString())")
    }

    @Test("The environment names the proxy as curl reads it") func environment() async throws {
        let proxy = try await ScriptedServer { _ in Self.ok("by the proxy") }
        let server = try await ScriptedServer { _ in Self.ok("direct") }
        defer { [proxy, server].forEach { $0.stop() } }
        let folder = try RequestFolder()
        let url = "\(server.origin)/"
        let cases: [([String], [String: String], String)] = [
            ([], ["http_proxy": "\(proxy.origin)"], "by the proxy"),
            ([], ["http_proxy": "127.0.0.1:\(proxy.origin.port)"], "by the proxy"),
            ([], ["ALL_PROXY": "\(proxy.origin)/"], "by the proxy"),
            ([], ["HTTP_PROXY": "\(proxy.origin)"], "direct"),
            ([], ["https_proxy": "\(proxy.origin)"], "direct"),
            ([], ["http_proxy": "\(proxy.origin)", "no_proxy": "a.example, 127.0.0.0/8"], "direct"),
            ([], ["http_proxy": "\(proxy.origin)", "NO_PROXY": "*"], "direct"),
            (["--direct"], ["http_proxy": "\(proxy.origin)"], "direct"),
            (["--proxy", "\(proxy.origin)"], ["no_proxy": "*"], "by the proxy"),
        ]
        for (options, variables, expected) in cases {
            let run = try await folder.live(["get", url] + options, environment: variables)
            #expect(run.output == expected, "\(options) \(variables) \(run.error)")
        }
        #expect(proxy.requests.allSatisfy { $0.target == url })
    }

    @Test(
        "What cannot be run ends with 2 and one line that shows no secret",
        arguments: [
            ["http://127.0.0.1:1/", "--header", "Authorization: Basic SECRET"],
            ["http://127.0.0.1:1/", "--header", "proxy-authorization:SECRET"],
            ["http://127.0.0.1:1/", "--header", "Host: SECRET"], ["http://127.0.0.1:1/", "--header", "SECRET"],
            ["http://jdoe:SECRET@127.0.0.1:1/"],
            ["http://127.0.0.1:1/", "--proxy", "http://jdoe:SECRET@127.0.0.1:2"],
            ["http://127.0.0.1:1/", "--proxy", "socks5://127.0.0.1:2"], ["http://127.0.0.1:1/", "SECRET"],
            ["http://127.0.0.1:1/", "--user", "jdoe:SECRET"], ["http://127.0.0.1:1/", "--request", "A B"],
            ["http://127.0.0.1:1/", "--data", "@/nowhere"], ["http://127.0.0.1:1/", "-d", "a", "--data-binary", "b"],
            ["http://127.0.0.1:1/", "-k"], ["http://127.0.0.1:1/", "--insecure"],
            ["http://127.0.0.1:1/", "--cacert", "/nowhere"],
            ["http://127.0.0.1:1/", "--cert", "/nowhere"], ["http://127.0.0.1:1/", "--max-time", "-1"],
            ["http://127.0.0.1:1/", "--head", "--data", "x"], ["http://127.0.0.1:1/", "--store", "/nowhere"],
            ["http://127.0.0.1:1/", "--profile", "/nowhere"], ["ftp://127.0.0.1/"], [],
        ]
    )
    func usage(arguments: [String]) throws {
        // The arguments of a test are in its log, so that the secret comes later.
        let run = try RequestFolder().run(["get"] + arguments.map { $0.replacing("SECRET", with: "hunter2") })
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.error.split(separator: "\n").count == 1, "\(run.error)")
        #expect(!run.error.contains("hunter2"), "\(run.error)")
    }
}
