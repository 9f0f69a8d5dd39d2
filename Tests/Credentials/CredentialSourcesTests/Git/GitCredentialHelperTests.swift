import CredentialSources
import Foundation
import Hostnames
import Secrets
import TestLimits
import Testing

/// Helpers that are scripts of the shell.
@Suite(.inTurn) struct GitCredentialHelperTests {
    /// A helper whose script is run with `$1` as the operation, in a folder that is its `$0`'s.
    private func helper(
        _ script: String,
        in folder: URL,
        limit: Duration = .seconds(600),
        _ change: (inout GitCredentialHelper.Options) -> Void = { _ in }
    ) throws -> GitCredentialHelper {
        let path = try SourceSamples.write("cd \"${0%/*}\"\n\(script)\n", "helper", in: folder)
        var options = GitCredentialHelper.Options()
        options.timeLimit = limit
        change(&options)
        return GitCredentialHelper(.helper(path: "/bin/sh", arguments: [path]), options: options)
    }

    private func problem(
        _ script: String,
        limit: Duration = .seconds(600),
        question: CredentialQuestion? = nil
    ) async throws -> GitCredentialError.Problem? {
        try await SourceSamples.inFolder { folder in
            do {
                let asked = try question ?? SourceSamples.question()
                _ = try await helper(script, in: folder, limit: limit).reply(to: asked)
                return nil
            } catch let error as GitCredentialError {
                #expect(!error.description.contains("Secret1"))
                return error.problem
            }
        }
    }

    private func text(_ name: String, in folder: URL) -> String {
        (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
    }

    @Test("A helper is asked by key and value, and its answer is used") func get() async throws {
        try await SourceSamples.inFolder { folder in
            let script = "cat > \"$1\"; printf 'username=ACME\\\\jdoe\\npassword=p=\\303\\251 \\n'"
            let source = try helper(script, in: folder)
            let reply = try await source.reply(to: SourceSamples.question("https://wiki.example:8443"))
            #expect(reply.texts == [#"ACME\jdoe"#, "p=é "])
            #expect(text("get", in: folder) == "protocol=https\nhost=wiki.example:8443\n\n")
            guard case .use(let found) = reply else { return }
            #expect(found.user == "jdoe" && found.domain == "ACME" && found.keep == .session)
            let withPath = try helper(script, in: folder) { $0.sendsPath = true }
            _ = try await withPath.reply(to: SourceSamples.question(user: #"ACME\jdoe"#))
            let expected = #"username=ACME\jdoe"#
            #expect(text("get", in: folder) == "protocol=https\nhost=wiki.example\npath=a/b\n\(expected)\n\n")
        }
    }

    @Test(
        "A helper without an answer leaves the question to the next source",
        arguments: [
            "", "echo username=jdoe", "echo password=p", "printf 'username=a\\npassword=b\\npassword_expiry_utc=1\\n'",
        ]
    )
    func nothing(script: String) async throws {
        try await SourceSamples.inFolder { folder in
            let source = try helper(script, in: folder)
            #expect(try await source.reply(to: SourceSamples.question()).texts == ["nothing"])
        }
    }

    @Test("A known user needs no name in the answer; a time and a stop are heard") func forms() async throws {
        try await SourceSamples.inFolder { folder in
            let known = try SourceSamples.question(user: "jdoe")
            for (script, texts) in [("echo password=p", ["jdoe", "p"]), ("echo quit=1", ["cancel"])] {
                let source = try helper(script, in: folder)
                #expect(try await source.reply(to: known).texts == texts)
            }
            let script = "printf 'password=p\\npassword_expiry_utc=4000000000\\n'"
            guard case .use(let found) = try await helper(script, in: folder).reply(to: known) else {
                return #expect(Bool(false))
            }
            #expect(found.keep == .until(4_000_000_000))
        }
    }

    @Test("Failures of a helper are errors with their reason") func failures() async throws {
        #expect(try await problem("exit 3") == .failed(status: 3))
        #expect(try await problem("echo username=a; echo password=Secret1; exit 1") == .failed(status: 1))
        #expect(try await problem("kill -9 $$") == .failed(status: nil))
        #expect(try await problem("echo Secret1") == .malformedLine(1))
        #expect(try await problem("printf 'username=a\\r\\n'") == .controlCharacter(line: 1))
        #expect(try await problem("echo host=evil.example") == .otherHost)
        #expect(try await problem("echo protocol=http") == .otherHost)
        let known = try SourceSamples.question(user: "jdoe")
        #expect(try await problem("echo username=admin; echo password=Secret1", question: known) == .otherUser)
        #expect(try await problem("while echo password=Secret1; do :; done") == .tooLong)
        // More on standard error than a pipe holds does not stop a helper.
        #expect(try await problem("head -c 300000 /dev/zero >&2; exit 4") == .failed(status: 4))
        #expect(try await problem("exec 0<&- 1>&-; sleep 0.1; exit 5") == .failed(status: 5))
        for user in ["a\nhost=evil.example", "a\0", "a\r"] {
            #expect(
                try await problem("echo password=p", question: try SourceSamples.question(user: user))
                    == .lineBreak(.user)
            )
        }
    }

    @Test("An application that ignores the end of children gets an error") func ignoredChildren() async {
        await #expect(processExitsWith: .success) {
            signal(SIGCHLD, SIG_IGN)
            let tests = GitCredentialHelperTests()
            let found = try await tests.problem("echo username=a; echo password=b")
            #expect(found == .noStatus)
        }
    }

    @Test("A program that cannot be started is an error") func notStarted() async throws {
        try await SourceSamples.inFolder { folder in
            let path = try SourceSamples.write("", "no-program", in: folder)
            for (program, code) in [(path, EACCES), (path + "x", ENOENT), ("sallyport-no-such-program", ENOENT)] {
                let expected = GitCredentialError(place: program, problem: .notStarted(code: code))
                await #expect(throws: expected) {
                    try await GitCredentialHelper(.helper(path: program)).reply(to: SourceSamples.question())
                }
            }
            await #expect(throws: GitCredentialError(place: "a", problem: .malformedCommand)) {
                try await GitCredentialHelper(.helper(path: "a", arguments: ["b\0c"])).reply(
                    to: SourceSamples.question()
                )
            }
        }
    }

    /// Starts a child of its own, notes both, and waits.
    private static let slow = "sleep 600 & echo $! $$ > pids.new; mv pids.new pids; wait"

    private func processes(in folder: URL) throws -> [pid_t] {
        try text("pids", in: folder).split(whereSeparator: \.isWhitespace).map { try #require(pid_t($0)) }
    }

    /// Waits until a process is gone or waits for its parent.
    private func end(of process: pid_t) async throws {
        try await eventually("process \(process) has ended") {
            let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            return kill(process, 0) != 0 || status?.contains(") Z ") == true
        }
    }

    @Test("When the time is over, the helper and what it started are killed") func timeLimit() async throws {
        try await SourceSamples.inFolder { folder in
            let source = try helper(Self.slow, in: folder, limit: .seconds(1))
            await #expect(throws: GitCredentialError(place: "/bin/sh", problem: .timedOut)) {
                try await source.reply(to: SourceSamples.question())
            }
            for process in try processes(in: folder) { try await end(of: process) }
        }
    }

    @Test("When the task is cancelled, the helper and what it started are killed") func cancellation() async throws {
        try await SourceSamples.inFolder { folder in
            let source = try helper(Self.slow, in: folder, limit: .seconds(600))
            let question = try SourceSamples.question()
            let task = Task { try await source.reply(to: question) }
            try await eventually("the helper runs") { !text("pids", in: folder).isEmpty }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            for process in try processes(in: folder) { try await end(of: process) }
            let again = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await source.reply(to: question)
            }
            await #expect(throws: CancellationError.self) { try await again.value }
        }
    }

    @Test("A helper has no terminal, no prompt of Git, and no secret in arguments or environment") func surroundings()
        async throws
    {
        try await SourceSamples.inFolder { folder in
            let script = """
                read -r pid name state parent group session rest < /proc/$$/stat
                { echo "$0 $*"; env; echo "session $((session == $$))"; ls -l /proc/$$/fd; } > "$1.seen"
                cat > "$1.input"
                """
            let source = try helper(script, in: folder)
            let found = SuppliedCredential(login: #"ACME\jdoe"#, password: SharedSecret(utf8: "Secret1"))
            try await source.approve(found, for: SourceSamples.question())
            try await source.reject(found, for: SourceSamples.question())
            for operation in ["store", "erase"] {
                let message = "protocol=https\nhost=wiki.example\n" + #"username=ACME\jdoe"# + "\npassword=Secret1\n\n"
                #expect(text("\(operation).input", in: folder) == message)
                let seen = text("\(operation).seen", in: folder)
                #expect(!seen.contains("Secret1") && seen.contains("session 1"))
                #expect(seen.contains("GIT_TERMINAL_PROMPT=0") && seen.contains("GIT_ASKPASS=\n"))
                // Standard input, output (which the shell has moved) and error: no other descriptor of this process.
                #expect(seen.components(separatedBy: " -> pipe:").count == 4, "\(seen)")
                #expect(!seen.contains(" -> socket:"))
            }
        }
    }

    @Test("After a refusal, the helper forgets what it supplied, and is asked again") func refusal() async throws {
        try await SourceSamples.inFolder { folder in
            let script = """
                printf '%s ' "$1" >> log; grep ^password= >> log || echo >> log
                [ "$1" = erase ] && mv next answer
                [ "$1" = get ] && cat answer
                true
                """
            try SourceSamples.write("username=a\npassword=old\n", "answer", in: folder)
            try SourceSamples.write("username=a\npassword=new\n", "next", in: folder)
            let source = try helper(script, in: folder)
            #expect(try await source.reply(to: SourceSamples.question()).texts == ["a", "old"])
            #expect(try await source.reply(to: SourceSamples.question(wasRefused: true)).texts == ["a", "new"])
            #expect(text("log", in: folder) == "get \nerase password=old\nget \n")
            // A helper that does not forget supplies nothing more.
            try SourceSamples.write("username=a\npassword=new\n", "next", in: folder)
            #expect(try await source.reply(to: SourceSamples.question(wasRefused: true)).texts == ["nothing"])
        }
    }

    @Test("An account that no scheme could use is not forgotten, because no party has seen its password")
    func problem() async throws {
        try await SourceSamples.inFolder { folder in
            let script = "printf '%s ' \"$1\" >> log; [ $1 = get ] && printf 'username=a\\npassword=b\\n'; true"
            let source = try helper(script, in: folder)
            _ = try await source.reply(to: SourceSamples.question())
            var question = try SourceSamples.question(wasRefused: true)
            question.problem = .domainRequired(target: "ACME")
            // The same account would not do either.
            #expect(try await source.reply(to: question).texts == ["nothing"])
            #expect(text("log", in: folder) == "get get ")
        }
    }

    @Test("An outcome is told to the helper for its own credentials only") func outcomes() async throws {
        try await SourceSamples.inFolder { folder in
            let script = "printf '%s ' \"$1\" >> log; [ $1 = get ] && printf 'username=a\\npassword=b\\n'; true"
            let source = try helper(script, in: folder)
            let question = try SourceSamples.question()
            guard case .use(let found) = try await source.reply(to: question) else { return #expect(Bool(false)) }
            let other = SuppliedCredential(login: "a", password: SharedSecret(utf8: "b"))
            try await source.learn(.accepted, of: other, for: question)
            try await source.learn(.accepted, of: found, for: SourceSamples.question("https://other.example"))
            #expect(text("log", in: folder) == "get ")
            try await SourceChain([source]).learn(.accepted, of: found, for: question)
            try await source.learn(.refused, of: found, for: question)
            try await source.learn(.refused, of: found, for: question)
            #expect(text("log", in: folder) == "get store erase ")
        }
    }

    @Test("An approval hands back the refresh token and the time that the helper gave") func refreshToken() async throws
    {
        try await SourceSamples.inFolder { folder in
            let answer = "username=a\\npassword=b\\noauth_refresh_token=c\\npassword_expiry_utc=4000000000\\n"
            let script = "cat > \"$1\"; [ $1 = get ] && printf '\(answer)'; true"
            let source = try helper(script, in: folder)
            let question = try SourceSamples.question()
            guard case .use(let found) = try await source.reply(to: question) else { return #expect(Bool(false)) }
            try await source.learn(.accepted, of: found, for: question)
            let lines = Set(text("store", in: folder).split(separator: "\n"))
            #expect(lines.isSuperset(of: ["oauth_refresh_token=c", "password_expiry_utc=4000000000", "password=b"]))
        }
    }

    @Test("Helpers that wait leave the threads of other tasks free") func ownThreads() async throws {
        try await SourceSamples.inFolder { folder in
            // Each waits until all run: a pool with as many threads as processors would never get there.
            let all = 24
            let meeting = "mkdir -p all; : > all/$$; until [ \"$(ls all | wc -l)\" -ge \(all) ]; do sleep 0.1; done"
            let source = try helper("\(meeting); echo username=a; echo password=b", in: folder, limit: .seconds(600))
            let question = try SourceSamples.question()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<all {
                    group.addTask {
                        let reply = try await source.reply(to: question)
                        #expect(reply.texts == ["a", "b"])
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
