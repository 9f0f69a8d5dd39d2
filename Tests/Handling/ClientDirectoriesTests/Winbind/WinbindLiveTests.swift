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
    /// The answers to `count` equal questions, one after the other.
    private static func ask(
        _ script: String,
        _ line: String = "basic ACME\\jdoe secret",
        times count: Int = 1
    ) async throws -> [String] {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let folder = try TemporaryFolder("winbind")
            let path = folder.path("program")
            try ExecutableFile.write("#!/bin/bash\n\(script)\n", to: path, mode: 0o755)
            let process = try HelperProcess([BuiltProgram.forTests, "directory", "winbind", "--program", path])
            return try (0..<count).map { _ in
                try process.send(line)
                return try process.readLine()
            }
        }
    }

    /// Runs `answer` for each question; `$n` is its number in this process.
    private static func answering(_ answer: String) -> String {
        "n=0; while read -r line; do [ \"$line\" = . ] || continue; n=$((n + 1)); \(answer); done"
    }

    private static let wrong = #"printf 'Authenticated: No\nAuthentication-Error: account\n.\n.\n'"#
    private static let failed = #"printf 'Authenticated: No\nAuthentication-Error: winbind\n.\n.\n'"#

    @Test(
        "A program that ends, or floods, gives no answer, and lets nobody in",
        arguments: ["exit 0", "exec >&-; sleep 100", "yes", "head -c 100000 /dev/zero; sleep 100"]
    )
    func faults(script: String) async throws {
        let answer = try await Self.ask(script)[0]
        #expect(answer.hasPrefix("error: /") && answer.hasSuffix("--helper-protocol=ntlm-server-1"), "\(answer)")
    }

    @Test("An answer that comes too late is not taken for that to the next question")
    func late() async throws {
        // The first program answers after the time limit, and another one is asked then.
        let script =
            #"d=$(dirname "$0"); "#
            + Self.answering(
                "[ -e \"$d/late\" ] || { touch \"$d/late\"; sleep 7; \(Self.wrong); continue; }; \(Self.failed)"
            )
        let answers = try await Self.ask(script, times: 2)
        #expect(
            answers == ["error: winbind gave no answer in time: look at 'wbinfo --ping-dc'", "error: winbind: winbind"]
        )
    }

    @Test("A full stop that comes late is no answer")
    func lateStop() async throws {
        let first = #"printf 'Authenticated: No\nAuthentication-Error: account\n.\n'; (sleep 0.3; echo .) & continue"#
        let script = Self.answering("if [ $n = 1 ]; then \(first); fi; sleep 0.6; \(Self.failed)")
        #expect(try await Self.ask(script, times: 2) == ["wrong", "error: winbind: winbind"])
    }

    @Test("A program that has ended between two questions is started again, and one may close its standard error")
    func restarted() async throws {
        #expect(try await Self.ask(Self.answering("\(Self.wrong); exit 0"), times: 3) == ["wrong", "wrong", "wrong"])
        #expect(try await Self.ask("exec 2>&-; " + Self.answering(Self.wrong), times: 2) == ["wrong", "wrong"])
    }

    @Test("A right answer without a key, or with another one, lets no client in") func withoutKey() async throws {
        let yes = Self.answering(#"printf 'Authenticated: Yes\n.\n'"#)
        let error = "error: winbind gave no session key: give this user the group winbindd_priv"
        #expect(try await Self.ask(yes, "ntlm jdoe ACME x") == [error])
        #expect(try await Self.ask(yes) == [error])
        let forged = Self.answering(#"printf 'Authenticated: Yes\nUser-Session-Key: %032d\n.\n' 0"#)
        #expect(try await Self.ask(forged, "ntlm jdoe ACME x") == ["wrong"])
        #expect(try await Self.ask(forged) == ["wrong"])
    }
}
