import Foundation
import Hostnames
import LiveServers
import TestSupport
import Testing

@testable import SallyportCommand

/// `sallyport gateway`, and proxies that ask it with the configuration that it prints.
@Suite(.inTurn) struct GatewayCommandTests {
    private static func run(_ arguments: [String]) throws -> SallyportRun { try SallyportRun(["gateway"] + arguments) }

    @Test("Without accounts, a proxy or a place of its own it does not listen, and says why in one line")
    func refusals() throws {
        let folder = try StoreFolder()
        try folder.write("jdoe:{PLAIN}Correct-Horse\n", "clients")
        let place = "unix:" + folder.path("g.sock")
        let accounts = ["--client-accounts", folder.path("clients")]
        for (arguments, words) in [
            (["--for", "nginx", "--listen", place], "no accounts"),
            (["--listen", place] + accounts, "which proxy asks"),
            (["--for", "nginx", "--listen", "0.0.0.0:9191"] + accounts, "--listen"),
            (["--for", "nginx", "--listen", "unix:g.sock"] + accounts, "not an absolute path"),
            (
                ["--for", "nginx", "--listen", place, "--offer", "negotiate"] + accounts,
                "--offer: negotiate: the accounts allow"
            ),
            (["--for", "nginx", "--listen", place, "--offer", "ntlm"] + accounts, "--offer: ntlm: the accounts allow"),
            (["--for", "nginx", "--listen", place, "--client-accounts", folder.path("none")], "--client-accounts"),
            (["--for", "nginx", "--listen", place, "--client-directory", "winbind"], "authenticates a connection"),
            (["--for", "nginx", "--listen", "unix:" + folder.path("none/g.sock")] + accounts, "g.sock"),
        ] {
            let run = try Self.run(arguments)
            #expect(run.status == 2 && run.output.isEmpty, "\(arguments)")
            #expect(run.error.contains(words) && run.error.split(separator: "\n").count == 1, "\(run.error)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("g.sock")))
    }

    @Test("What a proxy's configuration needs is printed without listening", arguments: ["nginx", "caddy", "envoy"])
    func printed(front: String) throws {
        let run = try Self.run(["--print-config", front, "--listen", "unix:/run/wiki/g.sock"])
        #expect(run.status == 0 && run.error.isEmpty)
        #expect(run.output.contains("/run/wiki/g.sock") && run.output.lowercased().contains("x-sallyport-user"))
    }

    /// A proxy that asks, and the gateway that answers it.
    private struct Setting {
        let gateway: RunningRelay
        let proxy: HelperProcess
        let port: UInt16

        /// - Parameter arguments: where the accounts are, and what is offered.
        init(
            _ front: String,
            before server: ScriptedServer,
            on address: String,
            _ arguments: [String],
            _ folder: StoreFolder,
            environment: [String: String] = [:],
            lines: String = ""
        ) throws {
            gateway = try RunningRelay(
                ["--for", front, "--listen", address] + arguments,
                verb: "gateway",
                environment: environment,
                lines: 1,
                listens: false
            )
            let listens = try #require(
                gateway.announcement.first?.split(separator: " ").dropFirst(2).first.map(String.init)
            )
            let printed = try GatewayCommandTests.run(["--print-config", front, "--listen", listens])
            try folder.write(printed.output, "configuration")
            port = try ServerPort.take()
            proxy = try HelperProcess(
                server: "before-gateway",
                [front, "\(port)", "\(server.origin.port)", folder.path("configuration"), lines]
            )
        }

        func curl(
            _ arguments: [String],
            environment: [String: String] = [:]
        ) throws -> (status: String, head: String) {
            let run = try SallyportRun(
                ["curl", "-sS", "-i", "-w", "\n%{http_code}"] + arguments + ["http://localhost:\(port)/page?a=b%20c"],
                environment: environment,
                program: URL(filePath: "/usr/bin/env")
            )
            return (run.output.split(separator: "\n").last.map(String.init) ?? run.error, run.output)
        }
    }

    @Test(
        "A proxy with the printed configuration lets in who has the right password, and tells the server who it is",
        .needs(.nginx, .caddy, .envoy, .curl),
        arguments: ["nginx", "caddy", "envoy"],
        [true, false]
    )
    func asks(front: String, overSocket: Bool) async throws {
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { server.stop() }
        let folder = try StoreFolder()
        try folder.write("jdoe:{PLAIN}Correct-Horse\n", "clients")
        let address = overSocket ? "unix:" + folder.path("g.sock") : "127.0.0.1:0"
        let setting = try Setting(
            front,
            before: server,
            on: address,
            ["--client-accounts", folder.path("clients"), "--cleartext"],
            folder
        )
        var forged = [
            "-H", "X-Sallyport-User: admin", "-H", "X-Sallyport-Domain: EVIL", "-H", "X-Sallyport-Scheme: ntlm",
            "-H", "X-Original-Method: PUT", "-H", "X-Original-URI: /", "-H", "X-Forwarded-Uri: /",
            "-H", "Connection: close, X-Sallyport-User, X-Sallyport-Domain",
            "-H", "X-Forwarded-Method: PUT", "-H", "X-Forwarded-Proto: https", "-H", "X-Client-Address: 203.0.113.1",
        ]
        // nginx drops such a field, Caddy removes it, and Envoy refuses the request.
        let underscore = ["-H", "X_Sallyport_User: admin"]
        if front == "envoy" {
            #expect(try setting.curl(underscore + ["--basic", "-u", "jdoe:Correct-Horse"]).status == "400")
        } else {
            forged += underscore
        }
        // nginx passes the first challenge alone, which is Digest with SHA-256.
        for arguments in [["--digest"], ["--digest", "-d", "a=b"]]
            + (front != "nginx" ? [["--basic"], ["--basic", "-d", "a=b"]] : [])
        {
            let scheme = String(arguments[0].dropFirst(2))
            let before = server.requests.count
            let right = try setting.curl(arguments + forged + ["-u", "jdoe:Correct-Horse"])
            #expect(right.status == "200", "\(arguments)")
            let seen = try #require(server.requests.last)
            #expect(server.requests.count == before + 1)
            #expect(seen.target == "/page?a=b%20c" && seen.body == (arguments.contains("-d") ? "a=b" : ""))
            #expect(seen.field("X-Sallyport-User") == "jdoe" && seen.field("X-Sallyport-Scheme") == scheme)
            #expect((seen.field("X-Sallyport-Domain") ?? "").isEmpty && seen.field("Authorization") == nil)
            #expect(!seen.head.contains("admin") && !seen.head.contains("EVIL"))
            let names = seen.head.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("x-sallyport-user:") }
            #expect(names.count == 1)
            for wrong in [["-u", "jdoe:Wrong"], ["-u", "nobody:Correct-Horse"]] {
                #expect(try setting.curl(arguments + forged + wrong).status == "401", "\(arguments) \(wrong)")
            }
            #expect(server.requests.count == before + 1)
        }
        let asked = try setting.curl(forged)
        #expect(asked.status == "401")
        let challenges = asked.head.lowercased().components(separatedBy: "www-authenticate: ").count - 1
        #expect(challenges == (front == "nginx" ? 1 : 3))

        // Without the gateway no one is let in.
        let before = server.requests.count
        setting.gateway.send(SIGTERM)
        #expect(setting.gateway.end() == 0)
        let down = try setting.curl(["--basic", "-u", "jdoe:Correct-Horse"])
        #expect(down.status == ["nginx": "500", "caddy": "502", "envoy": "403"][front])
        #expect(server.requests.count == before)
    }

    @Test("SIGHUP reads the accounts again; a file that cannot be read leaves the old ones", .needs(.curl, .nginx))
    func reload() async throws {
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { server.stop() }
        let folder = try StoreFolder()
        try folder.write("jdoe:{PLAIN}Old-Horse\n", "clients")
        let setting = try Setting(
            "nginx",
            before: server,
            on: "unix:" + folder.path("g.sock"),
            ["--client-accounts", folder.path("clients"), "--cleartext"],
            folder
        )
        func status(_ password: String) throws -> String {
            try setting.curl(["--digest", "-u", "jdoe:\(password)"]).status
        }
        #expect(try status("Old-Horse") == "200")
        try folder.write("no line of accounts\n", "clients")
        setting.gateway.send(SIGHUP)
        try setting.gateway.waitForLog("the old accounts stay in use")
        #expect(try status("Old-Horse") == "200")
        try folder.write("jdoe:{PLAIN}New-Horse\n", "clients")
        setting.gateway.send(SIGHUP)
        try setting.gateway.waitForLog("the accounts are read again")
        #expect(try status("Old-Horse") == "401")
        #expect(try status("New-Horse") == "200")
        setting.gateway.send(SIGTERM)
        #expect(setting.gateway.end() == 0)
    }

    @Test(
        "A ticket lets its client in, under its name in the realm",
        .needs(.kerberos, .curl, .nginx, .caddy, .envoy),
        arguments: ["nginx", "caddy", "envoy"]
    )
    func tickets(front: String) async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { server.stop() }
        let folder = try StoreFolder()
        let keytab = folder.path("http.keytab")
        try FileManager.default.copyItem(atPath: realm.path("http.keytab"), toPath: keytab)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keytab)
        let setting = try Setting(
            front,
            before: server,
            on: "unix:" + folder.path("g.sock"),
            ["--client-keytab", keytab],
            folder,
            environment: realm.environment()
        )
        let negotiate = ["--negotiate", "-u", ":"]
        let right = try setting.curl(negotiate, environment: realm.environment(cache: "jdoe.cache"))
        #expect(right.status == "200")
        let seen = try #require(server.requests.last)
        #expect(seen.field("X-Sallyport-User") == "jdoe" && seen.field("X-Sallyport-Domain") == KerberosRealm.name)
        #expect(seen.field("X-Sallyport-Scheme") == "negotiate" && seen.field("Authorization") == nil)
        #expect(try setting.curl(negotiate, environment: realm.environment()).status == "401")
        #expect(try setting.curl([]).status == "401")
        #expect(server.requests.count == 1)
        // The server's own proof comes back with the page; what Caddy copies goes to the server alone.
        let proven = right.head.lowercased().contains("www-authenticate: negotiate ")
        #expect(proven == (front != "caddy"))
    }

    @Test(
        "Lines of the server that answer in place of the gateway let no one in",
        .needs(.nginx, .curl),
        arguments: [
            "error_page 502 =200 /maintenance.html;", "error_page 401 502 = @other; location @other { return 200; }",
            "proxy_intercept_errors on; error_page 401 =200 /log-on.html;",
            "proxy_cache pages; proxy_cache_valid any 1h; proxy_ignore_headers Cache-Control Set-Cookie;",
        ]
    )
    func generousLines(lines: String) async throws {
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nok") }
        defer { server.stop() }
        let folder = try StoreFolder()
        try folder.write("jdoe:{PLAIN}Correct-Horse\n", "clients")
        let setting = try Setting(
            "nginx",
            before: server,
            on: "unix:" + folder.path("g.sock"),
            ["--client-accounts", folder.path("clients"), "--cleartext", "--offer", "basic"],
            folder,
            lines: lines
        )
        _ = try setting.curl(["-u", "jdoe:Correct-Horse"])
        #expect(server.requests.map { $0.field("X-Sallyport-User") } == ["jdoe"])
        _ = try setting.curl([])
        _ = try setting.curl(["-u", "jdoe:Wrong"])
        setting.gateway.send(SIGTERM)
        #expect(setting.gateway.end() == 0)
        _ = try setting.curl([])
        _ = try setting.curl(["-u", "jdoe:Correct-Horse"])
        #expect(server.requests.count == 1, "\(server.requests.map(\.head))")
    }

    @Test(
        "A client that says https to the proxy itself gets no Basic; the log says why, once",
        .needs(.nginx, .caddy, .envoy, .curl),
        arguments: ["nginx", "caddy", "envoy"]
    )
    func cleartext(front: String) async throws {
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { server.stop() }
        let folder = try StoreFolder()
        try folder.write("jdoe:{PLAIN}Correct-Horse\n", "clients")
        let setting = try Setting(
            front,
            before: server,
            on: "unix:" + folder.path("g.sock"),
            ["--client-accounts", folder.path("clients"), "--offer", "basic"],
            folder
        )
        for credentials in [[], [], ["-u", "jdoe:Correct-Horse"]] {
            let answer = try setting.curl(["-H", "X-Forwarded-Proto: https"] + credentials)
            #expect(answer.status == "401" && !answer.head.lowercased().contains("www-authenticate"))
        }
        #expect(server.requests.isEmpty)
        #expect(try setting.gateway.log.components(separatedBy: "without TLS").count == 2)
    }
}
