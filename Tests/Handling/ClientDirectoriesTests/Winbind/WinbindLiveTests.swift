import LiveServers
import TestSupport
import Testing

/// Samba's winbindd, asked through `ntlm_auth`.
@Suite(.inTurn, .needs(.winbind, .samba, .namespaces)) struct WinbindLiveTests {
    /// The program of the tests beside a winbindd.
    private static func ask(_ lines: [String], program: String = "ntlm_auth") async throws -> [String] {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let script = #"exec "$0" directory winbind --configuration "$SMB_CONF" --program "$1" --domain ACME"#
            let process = try HelperProcess([
                Script.server("with-winbind"), ServerScript.domain, ServerScript.accountList, "bash", "-c", script,
                BuiltProgram.forTests, program,
            ])
            return try lines.map { line in
                try process.send(line)
                return try process.readLine()
            }
        }
    }

    @Test("Passwords and responses of NTLM are judged, and each answer is that to its question")
    func judged() async throws {
        let questions = [
            ("basic jdoe Correct-Horse", "right"), ("basic jdoe wrong", "wrong"),
            ("basic ACME\\jdoe Correct-Horse", "right"),
            ("basic nobody wrong", "wrong"), ("ntlm jdoe ACME Correct-Horse", "right"),
            ("ntlm jdoe ACME wrong", "wrong"),
            ("ntlm ada ACME Zażółć", "right"), ("ntlm nobody ACME wrong", "wrong"), ("basic ada Zażółć", "right"),
            ("ntlm łukasz ACME Żółw-Ü", "right"), ("basic jdoe Correct-Horse", "right"),
        ]
        let answers = try await Self.ask(questions.map(\.0))
        #expect(answers == questions.map(\.1))
    }

    @Test("A program that is not there is an error that says so")
    func missing() async throws {
        let answers = try await Self.ask(["basic jdoe Correct-Horse"], program: "/nowhere/ntlm_auth")
        #expect(
            answers == ["error: /nowhere/ntlm_auth did not start (error 2): install winbind, or correct the path"]
        )
    }
}

/// Programs that answer as no `ntlm_auth` does.
@Suite(.inTurn) struct WinbindFaultTests {
    private static func ask(_ script: String, _ line: String = "basic jdoe secret") async throws -> String {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let folder = try TemporaryFolder("winbind")
            let path = folder.path("program")
            try ExecutableFile.write("#!/bin/bash\n\(script)\n", to: path, mode: 0o755)
            let process = try HelperProcess([BuiltProgram.forTests, "directory", "winbind", "--program", path])
            try process.send(line)
            return try process.readLine()
        }
    }

    @Test("A program that ends, or floods, gives no answer, and lets nobody in")
    func faults() async throws {
        for script in ["exit 0", "exec >&-; sleep 100", "yes", "head -c 100000 /dev/zero; sleep 100"] {
            let answer = try await Self.ask(script)
            #expect(answer.hasPrefix("error: ") && answer.contains("gave no answer"), "\(script): \(answer)")
        }
    }

    @Test("A program that says nothing is given up after the time limit") func silent() async throws {
        #expect(try await Self.ask("sleep 100").hasPrefix("error: "))
    }

    @Test("A right answer without a key lets no client of NTLM in") func withoutKey() async throws {
        let script = "while read -r line; do [ \"$line\" = . ] && printf 'Authenticated: Yes\\n.\\n'; done"
        #expect(try await Self.ask(script, "ntlm jdoe ACME x").contains("winbind gave no session key"))
    }
}
