import Foundation
import Hostnames
import LiveServers
import TestSupport
import Testing

/// Questions at the relay's terminal that end in another way than by an answer.
@Suite(.inTurn, .needs(.python)) struct RelayQuestionTests {
    @Test("The store, a client that leaves, SIGHUP and Ctrl-C end a question, each on a line of its own")
    func ends() throws {
        let folder = try StoreFolder()
        let run = try SallyportRun(
            [
                "python3", HelperFile.path("relay_question.py"), SallyportRun.executable.path, "relay", "--listen",
                "127.0.0.1:0", "--parent", "PARENT", "--basic", "--key-file", folder.path("key"), "--map",
                "127.0.0.1:0=http://one.example", "--map", "127.0.0.1:0=http://two.example",
            ],
            environment: folder.environment,
            program: URL(filePath: "/usr/bin/env")
        )
        let result = try run.json()
        let shown = try #require(result["shown"] as? String, "\(run.error)")
        func line(_ name: String) -> String { result[name] as? String ?? "" }
        #expect(line("held").hasPrefix("403 "))
        #expect(line("first").hasPrefix("200 "))
        #expect(result["kept"] as? Int == 0 && result["withdrawn"] as? Bool == true)
        #expect((result["changed"] as? [String])?.map { $0.prefix(4) } == ["200 ", "200 "])
        #expect(result["removed"] as? Int == 0)
        #expect(line("empty").hasPrefix("502 ") && line("third").hasPrefix("200 "), "\(line("empty"))")
        let two = try #require(result["two"] as? [Any])
        #expect(two[0] as? Int == 0 && (two[1] as? String)?.hasPrefix("200 ") == true, "\(two)")
        #expect(line("one").hasPrefix("200 "))
        // "first" and "second" were refused once each.
        #expect(result["bad"] as? Int == 2)
        #expect(line("last").hasPrefix("503 "), "\(line("last"))")
        #expect(result["exit"] as? Int == 0)
        #expect(shown.contains(#"ACME\\jdoe has more than one '\': write ACME\jdoe"#))
        // No other text runs into a question, and what was held stands on lines of its own.
        let lines = shown.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
        for text in [" refused reason=", " SIGHUP: ", "The question is withdrawn: ", "the relay ends"] {
            for line in lines where line.contains(text) {
                #expect(!line.contains("User name") && !line.contains("Password of"), "\(line)")
            }
        }
        #expect(lines.contains { $0.contains("warning refused reason=") && $0.contains("127.0.0.1:9") })
        #expect(lines.count { $0.hasPrefix("The question is withdrawn: ") } >= 2, "\(shown)")
        #expect(shown.contains("The question is withdrawn: the relay ends.\r\n"), "\(shown)")
        #expect(!["first", "second", "third"].contains { shown.contains($0) })
    }

    @Test(
        "A password that another process keeps answers the open question, for a request and a tunnel",
        .needs(.squid, .winbind),
        arguments: GuardedServer.Kind.squid
    )
    func storeAnswers(kind: GuardedServer.Kind) async throws {
        let squid = try await GuardedServer.started(kind)
        let (address, origin) = (try squid.address(), try squid.openOrigin)
        let folder = try StoreFolder()
        let proxy = "http://localhost:\(address.port)"
        let command = [
            "relay", "--listen", "127.0.0.1:0", "--parent", "localhost:\(address.port)", "--allow-destination",
            "127.0.0.1", "--key-file", folder.path("key"),
        ]
        let run = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try SallyportRun(
                [
                    "python3", HelperFile.path("relay_store_answer.py"), "\(origin)\(squid.page(1))", proxy,
                    kind == .squidNTLM ? #"ACME\jdoe"# : "jdoe", GuardedServer.password, SallyportRun.executable.path,
                ] + command + (kind == .squidBasic ? ["--basic"] : []),
                environment: folder.environment,
                program: URL(filePath: "/usr/bin/env")
            )
        }
        let result = try run.json()
        let shown = try #require(result["shown"] as? String, "\(run.error)")
        #expect(result["kept"] as? Int == 0)
        #expect(result["statuses"] as? [String: [String]] == ["page": ["200"], "tunnel": ["200", "200"]], "\(shown)")
        #expect(shown.contains("The question is withdrawn: the store has a password now.\r\n"), "\(shown)")
        #expect(result["exit"] as? Int == 0)
        #expect(!run.output.contains(GuardedServer.password))
        #expect(try squid.takeBadLogOns() == 0)
    }
}
