import Foundation
import LiveServers
import Testing

/// The questions for passphrases and secrets, at a terminal.
@Suite(.inTurn, .enabled(if: PythonTerminal.isUsable, "python3 is missing: apt-get install python3"))
struct CredentialsTerminalTests {
    @Test("A passphrase is asked twice for a new store and once for an old one, never shown") func passphrase() throws {
        let folder = try StoreFolder()
        let added = try folder.terminal(
            "types:open sesame|open sesame|hunter2",
            ["add", "https://a.example", "--user", "u"]
        )
        #expect(added.exit == 0 && added.hidden && added.restored && added.prompts == 3, "\(added.shown)")
        #expect(added.output.hasSuffix("kept the password of u for https://a.example\n"))
        #expect(added.shown.contains("Password of u for https://a.example: "))
        let listed = try folder.terminal("types:open sesame", ["list"])
        #expect(listed.exit == 0 && listed.prompts == 1 && listed.output.contains("https://a.example"))
        let wrong = try folder.terminal("types:open barley", ["list"])
        #expect(wrong.exit == 2 && wrong.shown.contains("no key slot opens with this key or passphrase"))
        for secret in ["sesame", "barley", "hunter2"] { #expect(!folder.written.contains(secret)) }
    }

    @Test("Two answers that differ make no store") func different() throws {
        let folder = try StoreFolder()
        let run = try folder.terminal("types:sesame|sesam", ["add", "https://a.example", "--user", "u"])
        #expect(run.exit == 2 && run.shown.contains("the two answers differ") && !run.shown.contains("sesam"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).isEmpty)
    }

    @Test("An interrupt at the question ends the command, and the terminal echoes again") func interrupt() throws {
        let folder = try StoreFolder()
        let run = try folder.terminal(
            "signal:SIGINT",
            ["add", "https://a.example", "--user", "u", "--key-file", folder.path("key")]
        )
        #expect(run.exit == -2 && run.hidden && run.restored)
        #expect(!FileManager.default.fileExists(atPath: folder.store))
    }

    @Test("Without a terminal the question is an error") func noTerminal() throws {
        let folder = try StoreFolder()
        let arguments = ["credentials", "add", "https://a.example", "--user", "u", "--stdin"]
        // `setsid` leaves the terminal of the tests, if they have one.
        let run = try SallyportRun(
            ["-w", SallyportRun.executable.path] + arguments,
            input: "s".utf8,
            environment: folder.environment,
            program: URL(filePath: "/usr/bin/setsid")
        )
        #expect(
            run.status == 2
                && run.error.hasSuffix(
                    ": terminal: there is none to ask at for the new passphrase of the store \(folder.store): make it with --key-file\n"
                ),
            "\(run.error)"
        )
    }
}
